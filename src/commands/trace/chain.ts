import type { ObjectRef, StageState } from '../../core/report/report.ts';
import type { LinkRole, LinkState, TraceLink } from '../../core/report/trace.ts';
import { objectNameFrom } from '../../terminal/verdict/nouns.ts';
import type { Screen } from '../../terminal/screen.ts';
import { stageStyle } from '../../terminal/theme.ts';
import { displayWidth, hang, padEnd } from '../../terminal/wrap.ts';

export const labels: Readonly<Record<LinkRole, string>> = {
  pod: 'pod',
  claim: 'claim',
  class: 'class',
  volume: 'volume',
  attachment: 'attachment',
  node: 'node',
  registration: 'registration',
  nodePlugin: 'node plugin',
  driver: 'driver',
  provisioner: 'provisioner',
  attacher: 'attacher',
  resizer: 'resizer',
  snapshotter: 'snapshotter',
  snapshotController: 'controller',
  snapshot: 'snapshot',
  content: 'content',
  snapshotClass: 'class',
};
const kinds: Partial<Record<LinkRole, string>> = {
  pod: 'Pod',
  claim: 'PersistentVolumeClaim',
  class: 'StorageClass',
  volume: 'PersistentVolume',
  attachment: 'VolumeAttachment',
  node: 'Node',
  driver: 'CSIDriver',
  snapshot: 'VolumeSnapshot',
  content: 'VolumeSnapshotContent',
  snapshotClass: 'VolumeSnapshotClass',
};
export const looks: Readonly<Record<LinkState, StageState>> = {
  ok: 'passed',
  pending: 'waiting',
  failed: 'blocked',
  missing: 'blocked',
  unneeded: 'notApplicable',
  unknown: 'unknown',
};
const labelWidth = Math.max(...Object.values(labels).map((label) => label.length));
const marker = 'broken here';

/** A block for each link: its role, its name, its state, and an arrow at the one that the verdict names. */
export function renderChain(chain: readonly TraceLink[], home: string | undefined, screen: Screen): string[] {
  return chain.flatMap((link) => renderLink(link, home, screen));
}

function renderLink(link: TraceLink, home: string | undefined, screen: Screen): string[] {
  const { theme, width } = screen;
  const look = link.isBroken ? 'blocked' : looks[link.state];
  const lead = `  ${theme.glyph[look]} ${padEnd(labels[link.role], labelWidth)}  `;
  const indent = displayWidth(lead);
  const name = link.object ? nameOf(link.role, link.object, home) : '';
  const summary = theme.prose(link.summary);
  const lines: string[] = [];
  if (name === '') lines.push(...hang(lead, summary, width));
  else if (indent + displayWidth(name) + 2 + displayWidth(summary) <= width) lines.push(`${lead}${name}  ${summary}`);
  else if (indent + displayWidth(name) <= width) lines.push(lead + name, ...hang(' '.repeat(indent), summary, width));
  // A name is never wrapped, so that it can be copied: one that does not fit its column gets a line of its own.
  else lines.push(...hang(lead, summary, width), `    ${name}`);
  lines.push(...(link.notes ?? []).flatMap((note) => hang(' '.repeat(indent), theme.prose(note), width)));
  if (link.isBroken) placeMarker(lines, `${theme.arrow} ${marker}`, screen, indent);
  return lines.map((line, index) => paintLine(line, index === 0, look, name, screen));
}

/**
 * Without the kind, which the label shows already, unless the object is of another kind: a pod or a lease of a
 * controller.
 */
export function nameOf(role: LinkRole, object: ObjectRef, home: string | undefined): string {
  const full = objectNameFrom(object, home);
  return kinds[role] === object.kind ? full.slice(full.indexOf('/') + 1) : full;
}

function placeMarker(lines: string[], text: string, { width }: Screen, indent: number): void {
  const first = lines[0] ?? '';
  const start = Math.max(displayWidth(first) + 2, Math.min(width, 80) - displayWidth(text));
  if (start + displayWidth(text) <= width) lines[0] = padEnd(first, start) + text;
  else lines.splice(1, 0, ' '.repeat(indent) + text);
}

function paintLine(line: string, isFirst: boolean, look: StageState, name: string, { theme }: Screen): string {
  const style = stageStyle[look];
  if (style === 'faint') return theme.paint('faint', line);
  const arrow = `${theme.arrow} ${marker}`;
  const marked = line.endsWith(arrow) ? line.slice(0, -arrow.length) + theme.paint('blocked', arrow) : line;
  const glyph = theme.glyph[look];
  const start = `  ${glyph} `;
  const painted =
    isFirst && marked.startsWith(start) ? `  ${theme.paint(style, glyph)} ${marked.slice(start.length)}` : marked;
  return name !== '' && painted.includes(name) ? painted.replace(name, () => theme.paint('strong', name)) : painted;
}
