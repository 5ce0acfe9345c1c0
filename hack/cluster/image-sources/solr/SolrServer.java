import java.util.EnumSet;
import java.util.Properties;
import javax.servlet.DispatcherType;
import org.apache.solr.servlet.CoreContainerProvider;
import org.apache.solr.servlet.SolrDispatchFilter;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.gzip.GzipHandler;
import org.eclipse.jetty.servlet.DefaultServlet;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** One Solr node: Jetty with HTTP/1.1 and h2c on one port, and Solr's filter at /solr. */
public final class SolrServer {
  public static void main(String[] args) throws Exception {
    Server server = new Server(new QueuedThreadPool(10_000, 10, 120_000));
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    ServerConnector connector =
        new ServerConnector(
            server, new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http));
    connector.setHost(System.getProperty("solr.jetty.host"));
    connector.setPort(Integer.getInteger("jetty.port", 8983));
    connector.setIdleTimeout(120_000);
    server.addConnector(connector);

    ServletContextHandler solr = new ServletContextHandler(server, "/solr");
    solr.getServletContext().setAttribute("solr.properties", new Properties());
    solr.getServletContext().setAttribute("solr.solr.home", System.getProperty("solr.solr.home"));
    solr.addEventListener(new CoreContainerProvider());
    solr.addFilter(SolrDispatchFilter.class, "/*", EnumSet.of(DispatcherType.REQUEST));
    solr.addServlet(DefaultServlet.class, "/");
    GzipHandler gzip = new GzipHandler();
    gzip.setMinGzipSize(2048);
    gzip.addIncludedMethods("POST");
    solr.insertHandler(gzip);

    server.setStopAtShutdown(true); // SIGTERM: leave the cluster, close the indexes
    server.start();
    if (Boolean.getBoolean("solrbench.startOnly")) { // for the archive of classes in the image
      server.stop();
      System.exit(0); // Solr leaves threads behind
    }
    server.join();
  }
}
