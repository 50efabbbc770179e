package shop

import (
	"testing"
	"time"

	"example.com/shop/svcdtest"
)

func TestClusterBecomesIdle(t *testing.T) {
	svc := svcdtest.Shared(t)
	clusters := "/groups/" + svc.Credentials.ProjectID + "/clusters"
	svc.Request("POST", clusters, `{"name":"shop","clusterType":"REPLICASET","replicationSpecs":[{"regionConfigs":[{"providerName":"AWS",
		"regionName":"US_EAST_1","electableSpecs":{"instanceSize":"M10","nodeCount":3}}]}]}`).Want(201)
	svc.Advance(10 * time.Second)
	if state := svc.Request("GET", clusters+"/shop", nil).Want(200).Text("stateName"); state != "IDLE" {
		t.Fatalf("the cluster is %s, and not IDLE", state)
	}
}
