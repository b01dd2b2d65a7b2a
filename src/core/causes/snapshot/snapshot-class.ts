import type { Volume } from '../../kube/kinds.ts';
import { nearestName } from '../../kube/names.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import { errorSaid, nameOf, ruleForBoth, ruleForSnapshot } from './snapshot-rule.ts';

const defaultAnnotation = 'snapshot.storage.kubernetes.io/is-default-class';
/** The controller tries again after five minutes at the latest (--retry-interval-max). */
export const longestRetrySeconds = 600;

/** checkAndUpdateSnapshotClass, and getCSISnapshotInput of the sidecar. */
export function explainClassMissing(s: SnapshotCase): Explanation | undefined {
  const { className, classLookup } = s;
  if (className === undefined || !classLookup) return undefined;
  const said = errorSaid(s, /snapshot ?class.*not found/is);
  if (classLookup.state === 'found')
    return said && s.secondsSince(classLookup.object.metadata.creationTimestamp) < longestRetrySeconds
      ? mendedClass(s, classLookup.object, said.evidence)
      : undefined;
  if (classLookup.state === 'unknown' && !said) return undefined;
  const known =
    classLookup.state === 'missing'
      ? s.ask.list('VolumeSnapshotClass', undefined, `which class was meant by ${className}`).items
      : s.ask.seen('VolumeSnapshotClass');
  const near = nearestName(
    className,
    known.map(({ metadata }) => metadata.name),
  );
  const named = field(
    s.snapshot?.spec?.volumeSnapshotClassName !== undefined ? s.snapshot : s.subject,
    'spec.volumeSnapshotClassName',
  );
  return {
    confidence: classLookup.state === 'missing' ? 'certain' : 'likely',
    about: className,
    summary: `volumesnapshotclass/${className}, which ${nameOf(s)} names, ${classLookup.state === 'missing' ? 'does not exist' : 'was not found by the snapshot controller'}${near === undefined ? '' : `; did you mean ${near}?`}`,
    evidence: [
      named,
      ...(classLookup.state === 'missing' ? [absent('VolumeSnapshotClass', className)] : []),
      ...known.slice(0, 5).map((other) => field(other, 'driver')),
      ...(said ? [said.evidence] : []),
    ],
    fix: [
      fix(`create class ${className}: the snapshot then goes on by itself`, 'kubectl get volumesnapshotclass'),
      ...(s.snapshot && s.content === undefined
        ? [
            fix(
              `or make the snapshot again with ${near === undefined ? 'another class' : `class ${near}`}`,
              `kubectl ${inNamespace(s.snapshot.metadata.namespace)}get volumesnapshot ${shellWord(s.snapshot.metadata.name)} -o yaml`,
              'disruptive',
            ),
          ]
        : []),
    ],
  };
}

export const snapClassMissing = ruleForBoth({
  cause: 'snap-class-missing',
  severity: 'blocking',
  explain: explainClassMissing,
});

function mendedClass(
  s: SnapshotCase,
  snapshotClass: SnapshotClass,
  said: Explanation['evidence'][number],
): Explanation {
  return {
    severity: 'info',
    about: snapshotClass.metadata.name,
    summary: `volumesnapshotclass/${snapshotClass.metadata.name} was missing when ${nameOf(s)} was last tried, and exists now: the controller tries again within five minutes`,
    evidence: [said, field(snapshotClass, 'metadata.creationTimestamp')],
    fix: [],
  };
}

/** SetDefaultSnapshotClass: one default class for each driver; more than one is an error, unlike for storage classes. */
interface Defaults {
  readonly driver: string;
  readonly volume: Volume;
  readonly ofDriver: readonly SnapshotClass[];
  readonly defaults: readonly SnapshotClass[];
  readonly complete: boolean;
}

function defaultsOf(s: SnapshotCase): Defaults | undefined {
  if (!s.awaitsContent || s.className !== undefined || !s.claim?.isBound) return undefined;
  const volume = s.claim.volume?.state === 'found' ? s.claim.volume.object : undefined;
  const driver = volume?.spec?.csi?.driver;
  if (!volume || !driver) return undefined;
  const { items, complete } = s.ask.list(
    'VolumeSnapshotClass',
    undefined,
    `which snapshot class is the default for ${driver}`,
  );
  const ofDriver = items.filter((candidate) => candidate.driver === driver);
  return { driver, volume, ofDriver, defaults: ofDriver.filter(isDefault), complete };
}

function isDefault({ metadata }: SnapshotClass): boolean {
  return metadata.annotations?.[defaultAnnotation] === 'true';
}

function annotationOf(snapshotClass: SnapshotClass) {
  return field(
    snapshotClass,
    `metadata.annotations[${defaultAnnotation}]`,
    snapshotClass.metadata.annotations?.[defaultAnnotation] ?? 'not set',
  );
}

export function explainDefaultNone(s: SnapshotCase): Explanation | undefined {
  if (!s.awaitsContent || s.className !== undefined) return undefined;
  const found = defaultsOf(s);
  const said = errorSaid(s, /cannot find default snapshot class/);
  if (found && found.defaults.length > 0) {
    const [only] = found.defaults;
    if (!said || !only || found.defaults.length > 1) return undefined;
    return {
      severity: 'info',
      summary: `volumesnapshotclass/${only.metadata.name} is the default for ${found.driver} now, and was not when ${nameOf(s)} was last tried: the controller tries again within five minutes`,
      evidence: [said.evidence, annotationOf(only)],
      fix: [],
    };
  }
  if (!found?.complete && !said) return undefined;
  const [candidate] = found?.ofDriver ?? [];
  const forDriver = found ? ` for ${found.driver}` : '';
  return {
    confidence: found?.complete ? 'certain' : 'likely',
    ...(found && { about: found.driver }),
    summary: `${nameOf(s)} names no class, and no snapshot class${forDriver} is the default${found && !candidate ? `: there is no class of that driver at all` : ''}`,
    evidence: [
      field(s.subject, 'spec.volumeSnapshotClassName'),
      ...(found ? [field(found.volume, 'spec.csi.driver')] : []),
      ...(found?.ofDriver ?? []).map(annotationOf),
      ...(said ? [said.evidence] : []),
    ],
    fix: candidate
      ? [
          fix(
            `make ${candidate.metadata.name} the default${forDriver}: the snapshot then goes on by itself`,
            `kubectl annotate volumesnapshotclass ${shellWord(candidate.metadata.name)} ${defaultAnnotation}=true --overwrite`,
          ),
          fix(
            'or name the class in the snapshot',
            `kubectl ${inNamespace(s.subject.metadata.namespace)}patch volumesnapshot ${shellWord(s.subject.metadata.name)} --type=merge -p ${shellWord(JSON.stringify({ spec: { volumeSnapshotClassName: candidate.metadata.name } }))}`,
          ),
        ]
      : [
          fix(
            `create a snapshot class${forDriver} with the annotation ${defaultAnnotation}=true`,
            'kubectl get volumesnapshotclass',
          ),
        ],
  };
}

export const snapDefaultClassNone = ruleForSnapshot({
  cause: 'snap-default-class-none',
  severity: 'blocking',
  explain: explainDefaultNone,
});

export const snapDefaultClassMultiple = ruleForSnapshot({
  cause: 'snap-default-class-multiple',
  severity: 'blocking',
  explain(s) {
    if (!s.awaitsContent || s.className !== undefined) return undefined;
    const found = defaultsOf(s);
    const said = errorSaid(s, /(\d+) default snapshot classes were found/);
    const isProven = found !== undefined && found.defaults.length > 1;
    if (!isProven && (!said || found?.complete)) return undefined;
    const names = found?.defaults.map(({ metadata }) => metadata.name) ?? [];
    const last = names.at(-1);
    return {
      confidence: isProven ? 'certain' : 'likely',
      ...(found && { about: found.driver }),
      summary: `${nameOf(s)} names no class, and ${isProven ? `${names.length} snapshot classes are the default for ${found.driver} (${names.join(', ')})` : `${said?.match[1] ?? 'several'} snapshot classes are the default for its driver`}: there may be one only`,
      evidence: [
        field(s.subject, 'spec.volumeSnapshotClassName'),
        ...(isProven ? found.defaults.map(annotationOf) : []),
        ...(said ? [said.evidence] : []),
      ],
      fix: [
        fix(
          'leave one default for each driver: the snapshot then goes on by itself',
          last === undefined
            ? 'kubectl get volumesnapshotclass -o yaml'
            : `kubectl annotate volumesnapshotclass ${shellWord(last)} ${defaultAnnotation}-`,
        ),
        ...(names[0] === undefined
          ? []
          : [
              fix(
                'or name the class in the snapshot',
                `kubectl ${inNamespace(s.subject.metadata.namespace)}patch volumesnapshot ${shellWord(s.subject.metadata.name)} --type=merge -p ${shellWord(JSON.stringify({ spec: { volumeSnapshotClassName: names[0] } }))}`,
              ),
            ]),
      ],
    };
  },
});

/** createSnapshotContent takes the driver of the class and the handle of the volume, and compares them with nothing. */
export const snapClassDriverMismatch = ruleForBoth({
  cause: 'snap-class-driver-mismatch',
  severity: 'blocking',
  explain(s) {
    if (s.isPreProvisioned || s.isGroupMember) return undefined;
    const { driver, claim, snapshot } = s;
    if (!driver || !claim?.isBound || claim.volume?.state !== 'found' || !snapshot) return undefined;
    const volume = claim.volume.object;
    const handle = s.content?.spec?.source?.volumeHandle;
    // The claim may have been made anew since the content was.
    if (
      !volume.spec?.csi?.driver ||
      volume.spec.csi.driver === driver ||
      (handle !== undefined && handle !== volume.spec.csi.volumeHandle)
    )
      return undefined;
    const own = volume.spec.csi.driver;
    const className = s.className ?? '';
    const right = s.ask
      .list('VolumeSnapshotClass', undefined, `which snapshot classes ${own} has`)
      .items.filter((candidate) => candidate.driver === own)
      .map(({ metadata }) => metadata.name);
    return {
      about: `${className}/${own}`,
      summary: `volumesnapshotclass/${className} is for ${driver}, and pv/${volume.metadata.name} of claim ${claim.name} belongs to ${own}: only its own driver can take a snapshot of it`,
      evidence: [
        s.snapshotClass ? field(s.snapshotClass, 'driver') : field(s.content ?? s.subject, 'spec.driver'),
        field(volume, 'spec.csi.driver'),
        ...(s.error ? [field(s.error.object, 'status.error.message', s.error.message, s.error.time)] : []),
      ],
      fix: [
        fix(
          right.length > 0
            ? `delete this snapshot and take it again with ${right.length === 1 ? `class ${right[0] ?? ''}` : `one of ${right.join(', ')}`}: it holds nothing`
            : `create a snapshot class for ${own}, then delete this snapshot and take it again: it holds nothing`,
          `kubectl ${inNamespace(snapshot.metadata.namespace)}get volumesnapshot ${shellWord(snapshot.metadata.name)} -o yaml`,
          'disruptive',
        ),
      ],
    };
  },
});
