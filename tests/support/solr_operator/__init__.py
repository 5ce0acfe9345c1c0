"""A test double of the Apache Solr Operator, for the end-to-end suite only.

It is a process of the suite: it turns a `SolrCloud` into pods with the names, Services, labels,
readiness gates and status fields of the real one, so that the whole way of a benchmark runs in
pods where no image of the real operator can be had. A second, smaller double does the same for a
`ZookeeperCluster` of the ZooKeeper operator.

Left out, because a benchmark needs none of it: managed rolling updates and scaling (a changed
pod template only makes pods out of date), TLS, security, backups, addresses outside the cluster.
"""
