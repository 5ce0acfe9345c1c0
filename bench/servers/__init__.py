"""What is asked: servers on loopback that count their answers.

- `nginx`: the smallest answers, as fast as a server can be
- `canned`: answers of ten documents, as Solr gives them; `answers` makes them
- `delays`: answers late on purpose and keeps how late; `distributions` says how late
- `running`: starts one in a process of its own
"""
