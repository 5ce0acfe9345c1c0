"""Lines of requests as Solr and as a web server log them."""

SOLR = (
    "2026-05-01 12:00:00.250 INFO  (qtp1-22-a-1) [c:films s:shard1 r:core_node3"
    " x:films_shard1_replica_n1 t:a-1] o.a.s.c.S.Request webapp=/solr path=/select"
    " params={q=a+b&fq=x:1&fq=y:%7B2%7D&wt=json} hits=12 status=0 QTime=250"
)
ACCESS = (
    '10.0.0.7 - alice [01/May/2026:14:00:00 +0200] "GET /solr/films/select?q=a&rows=5 HTTP/1.1"'
    ' 200 512 "-" "curl/8"'
)
