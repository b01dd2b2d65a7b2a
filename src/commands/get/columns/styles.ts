import type { Style } from '../../../terminal/theme.ts';
import { notKnown } from '../column.ts';

const phaseStyles: Readonly<Record<string, Style>> = {
  Lost: 'blocked',
  Failed: 'blocked',
  ResizeFailed: 'blocked',
  ModifyFailed: 'blocked',
  NotReady: 'blocked',
  Missing: 'blocked',
  Pending: 'waiting',
  Terminating: 'waiting',
  Released: 'waiting',
};
export const statusStyle = ({ status }: { readonly status?: string }): Style | undefined =>
  status
    ?.split(',')
    .map((word) => phaseStyles[word])
    .find((style) => style !== undefined);

/** A failed attachment outweighs those that are still under way. */
export function attachedStyle({
  attachments,
}: {
  readonly attachments: readonly { readonly state: string }[];
}): Style | undefined {
  if (attachments.some(({ state }) => state === 'failed')) return 'blocked';
  return attachments.some(({ state }) => state !== 'attached') ? 'waiting' : undefined;
}

/** Nodes where a driver is registered, of all nodes. */
export function registrationsText({
  registeredNodes,
  nodes,
}: {
  readonly registeredNodes?: number;
  readonly nodes?: number;
}): string {
  return registeredNodes === undefined ? '' : `${registeredNodes}/${nodes ?? notKnown}`;
}
