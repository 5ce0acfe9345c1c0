import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.impl.CloudHttp2SolrClient;
import org.apache.solr.client.solrj.impl.ConcurrentUpdateHttp2SolrClient;
import org.apache.solr.client.solrj.impl.Http2SolrClient;
import org.apache.solr.common.SolrInputDocument;

/**
 * Indexes JSON lines by SolrJ, as the index client does: CLIENT URL COLLECTION FILE THREADS BATCH
 * WARM_UP.
 *
 * <p>The first WARM_UP documents are sent before the clock. Then it says "ready", waits for a line,
 * sends all, and says "done". Each thread takes lines, parses them and sends a batch.
 */
public final class SolrjClient {
  private static final TypeReference<Map<String, Object>> DOCUMENT = new TypeReference<>() {};
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AtomicReference<Throwable> FAILURE = new AtomicReference<>();

  private interface Source {
    List<SolrInputDocument> next() throws IOException;
  }

  public static void main(String[] given) throws Exception {
    String url = given[1], collection = given[2];
    Path file = Path.of(given[3]);
    int threads = Integer.parseInt(given[4]), batch = Integer.parseInt(given[5]);
    int warmUp = Integer.parseInt(given[6]);
    Http2SolrClient http = new Http2SolrClient.Builder().build();
    SolrClient client = open(given[0], url, threads, http);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      send(client, collection, pool, threads, reader(lines, batch, warmUp));
    }
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      System.out.println("ready");
      System.in.read();
      send(client, collection, pool, threads, reader(lines, batch, Integer.MAX_VALUE));
    }
    System.out.println("done");
    System.in.read();
    pool.shutdown();
    client.close();
    http.close();
  }

  private static SolrClient open(String kind, String url, int threads, Http2SolrClient http) {
    if (kind.equals("CloudHttp2SolrClient")) {
      return new CloudHttp2SolrClient.Builder(List.of(url)).withHttpClient(http).build();
    }
    return new ConcurrentUpdateHttp2SolrClient(
        new ConcurrentUpdateHttp2SolrClient.Builder(url, http)
            .withQueueSize(100)
            .withThreadCount(threads)) {
      @Override
      public void handleError(Throwable error) {
        FAILURE.compareAndSet(null, error);
      }
    };
  }

  private static void send(
      SolrClient client, String collection, ExecutorService pool, int threads, Source source)
      throws Exception {
    List<Future<Void>> running = new ArrayList<>();
    for (int each = 0; each < threads; each++) {
      running.add(
          pool.submit(
              () -> {
                for (List<SolrInputDocument> documents = source.next();
                    !documents.isEmpty();
                    documents = source.next()) {
                  client.add(collection, documents);
                }
                return null;
              }));
    }
    for (Future<Void> each : running) {
      each.get();
    }
    if (client instanceof ConcurrentUpdateHttp2SolrClient streaming) {
      streaming.blockUntilFinished();
    }
    if (FAILURE.get() != null) {
      throw new IllegalStateException(FAILURE.get());
    }
  }

  /** Reads lines under a lock, and parses them outside of it. */
  private static Source reader(BufferedReader lines, int batch, int most) {
    int[] left = {most};
    return () -> {
      List<String> taken = new ArrayList<>(batch);
      synchronized (lines) {
        for (String line; taken.size() < Math.min(batch, left[0]) && (line = lines.readLine()) != null; ) {
          taken.add(line);
        }
        left[0] -= taken.size();
      }
      List<SolrInputDocument> documents = new ArrayList<>(taken.size());
      for (String line : taken) {
        SolrInputDocument document = new SolrInputDocument();
        JSON.readValue(line, DOCUMENT).forEach(document::setField);
        documents.add(document);
      }
      return documents;
    };
  }
}
