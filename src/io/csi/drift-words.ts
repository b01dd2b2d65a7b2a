import type { DriverAssumptions } from '../../core/report/driver-assumptions.ts';

/** How a driver differs from what the cluster assumes about it, and what could not be compared. */
export interface Drift {
  readonly drift: readonly string[];
  readonly notes: readonly string[];
}

/** The most names in one sentence. */
const mostNames = 3;

export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ');
  return names.length > mostNames ? `${shown} and ${names.length - mostNames} more` : shown;
}

const subjects = {
  object: 'the CSIDriver object could not be read, so attachment and capacity are not compared',
  classes: 'the storage classes could not be read, so provisioning and expansion are not compared',
  snapshotClasses: 'the snapshot classes could not be read, so snapshots are not compared',
  attributesClasses: 'the volume attributes classes could not be read, so modification is not compared',
  nodes: 'the CSINodes could not be read, so what the kubelets registered is not compared',
} as const;

export function unreadNotes(assumed: DriverAssumptions, parts: readonly (keyof typeof subjects)[]): string[] {
  return parts.filter((part) => assumed[part] === undefined).map((part) => subjects[part]);
}
