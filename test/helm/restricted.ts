import type { Pod } from './render.ts';

/** Volumes that the `restricted` Pod Security standard allows. */
const volumeKinds = ['configMap', 'emptyDir', 'persistentVolumeClaim', 'projected', 'secret'];

/** The reasons why a pod violates the `restricted` Pod Security standard or the chart's additional rules. */
export function unrestricted({ component, spec }: Pod): string[] {
  const problems: string[] = [];
  const check = (holds: unknown, rule: string) => holds || problems.push(`${component}: ${rule}`);
  const pod = spec.securityContext ?? {};
  check(pod.runAsNonRoot === true, 'runs as root');
  check(pod.runAsUser > 0 && pod.runAsGroup > 0, 'has no fixed user and group');
  check(pod.seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile');
  check(!spec.hostNetwork && !spec.hostPID && !spec.hostIPC, 'is in a namespace of the node');
  check(spec.automountServiceAccountToken === false, 'has a token of its ServiceAccount');
  for (const volume of spec.volumes ?? [])
    check(
      volumeKinds.some(kind => kind in volume),
      `mounts ${volume.name}`,
    );
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const own = container.securityContext ?? {};
    check(own.allowPrivilegeEscalation === false, 'may gain rights');
    check(own.capabilities?.drop?.includes('ALL') && !own.capabilities.add, 'has capabilities');
    check(!own.privileged, 'is privileged');
    check(own.readOnlyRootFilesystem === true, 'may write to its image');
    check(
      (container.ports ?? []).every((port: object) => !('hostPort' in port)),
      'has a port of the node',
    );
    check(container.resources?.requests?.memory && container.resources.limits?.memory, 'has no memory set');
  }
  return problems;
}
