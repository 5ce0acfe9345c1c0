import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.solr.client.solrj.request.JavaBinUpdateRequestCodec;
import org.apache.solr.client.solrj.request.UpdateRequest;
import org.apache.solr.common.SolrInputDocument;

/** Writes each body of JSON in FOLDER again beside it, as CBOR and as javabin. */
public final class Bodies {
  private static final TypeReference<List<Map<String, Object>>> DOCUMENTS = new TypeReference<>() {};

  public static void main(String[] given) throws Exception {
    ObjectMapper json = new ObjectMapper(), cbor = new ObjectMapper(new CBORFactory());
    try (var bodies = Files.newDirectoryStream(Path.of(given[0]), "*.json")) {
      for (Path body : bodies) {
        List<Map<String, Object>> documents = json.readValue(body.toFile(), DOCUMENTS);
        cbor.writeValue(beside(body, ".cbor").toFile(), documents);
        UpdateRequest request = new UpdateRequest();
        for (Map<String, Object> fields : documents) {
          SolrInputDocument document = new SolrInputDocument();
          fields.forEach(document::setField);
          request.add(document);
        }
        try (OutputStream file = Files.newOutputStream(beside(body, ".javabin"))) {
          new JavaBinUpdateRequestCodec().marshal(request, file);
        }
      }
    }
  }

  private static Path beside(Path body, String suffix) {
    return body.resolveSibling(body.getFileName().toString().replace(".json", suffix));
  }
}
