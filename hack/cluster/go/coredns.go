package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
	_ "github.com/coredns/coredns/plugin/template"
)

// runCoreDNS is CoreDNS with only the plugins that cluster DNS needs: the full
// set takes minutes to build, and nothing here ever asks another server (no
// "forward"), because no query may leave the machine.
func runCoreDNS() {
	// Order of the plugin chain: a query passes them from first to last.
	dnsserver.Directives = []string{
		"bind", "reload", "health", "ready", "errors", "cache", "template", "kubernetes",
	}
	coremain.Run()
}
