package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// provisionerName is the "provisioner" of the storage class (config/storage.yaml).
const provisionerName = "solrbench.io/folder"

// folders makes each persistent volume a folder on the node. It runs beside the
// kubelet, so it needs no pod to do so.
type folders struct{ root string }

// Provision makes the folder of a claim. Any user may write into it: the pods
// that use it run as users of their own.
func (f folders) Provision(
	_ context.Context, options controller.ProvisionOptions,
) (*core.PersistentVolume, controller.ProvisioningState, error) {
	path := filepath.Join(f.root, options.PVName)
	if err := os.Mkdir(path, 0o777); err != nil && !os.IsExist(err) {
		return nil, controller.ProvisioningFinished, err
	}
	if err := os.Chmod(path, 0o777); err != nil { // whatever the umask is
		return nil, controller.ProvisioningFinished, err
	}
	volume := &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: options.PVName},
		Spec: core.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *options.StorageClass.ReclaimPolicy,
			AccessModes:                   options.PVC.Spec.AccessModes,
			VolumeMode:                    options.PVC.Spec.VolumeMode,
			Capacity: core.ResourceList{
				core.ResourceStorage: options.PVC.Spec.Resources.Requests[core.ResourceStorage],
			},
			PersistentVolumeSource: core.PersistentVolumeSource{
				HostPath: &core.HostPathVolumeSource{Path: path},
			},
		},
	}
	return volume, controller.ProvisioningFinished, nil
}

// Delete removes the folder of a volume and all that is in it.
func (f folders) Delete(_ context.Context, volume *core.PersistentVolume) error {
	return os.RemoveAll(filepath.Join(f.root, filepath.Base(volume.Name)))
}

func runVolumeProvisioner() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	root := flag.String("folder", "", "where the volumes' folders lie")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		klog.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		klog.Fatal(err)
	}
	controller.NewProvisionController(
		ctx, client, provisionerName, folders{*root}, controller.LeaderElection(false),
	).Run(ctx)
}
