import { compareText } from '../../kube/order.ts';
import type { BucketAccess, BucketClaim, ObjectOf } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import type { ObjectCase } from '../object-case.ts';
import { claimNamesOfAccess, driverOfClass, isSecondVersion, secretNamesOf } from './bucket.ts';

export type BucketAccessClass = ObjectOf<'BucketAccessClass'>;

/** A BucketAccess, its class and the claims that it names. Objects are read on first use. */
export class BucketAccessCase {
  readonly ask: Inquiry;
  readonly access: BucketAccess;

  constructor(ask: Inquiry, access: BucketAccess) {
    this.ask = ask;
    this.access = access;
  }

  get namespace(): string {
    return this.access.metadata.namespace ?? '';
  }

  get className(): string {
    return this.access.spec?.bucketAccessClassName ?? '';
  }

  get classLookup(): Lookup<BucketAccessClass> {
    const { className } = this;
    return this.ask.get('BucketAccessClass', undefined, className, `whether bucketaccessclass/${className} exists`);
  }

  get accessClass(): BucketAccessClass | undefined {
    return this.classLookup.state === 'found' ? this.classLookup.object : undefined;
  }

  /** v1alpha2 copies it from the class when the sidecar takes over. */
  get driver(): string | undefined {
    return this.access.status?.driverName || driverOfClass(this.accessClass);
  }

  /** The controller of v1alpha2 has done its part, and the sidecar of the driver has to act. */
  get isWithSidecar(): boolean {
    return isSecondVersion(this.access) ? !!this.access.status?.driverName : true;
  }

  get claims(): readonly { readonly name: string; readonly lookup: Lookup<BucketClaim> }[] {
    return claimNamesOfAccess(this.access).map((name) => ({
      name,
      lookup: this.ask.get(
        'BucketClaim',
        this.namespace,
        name,
        `whether bucketclaim/${name}, which bucketaccess/${this.access.metadata.name} names, exists and is ready`,
      ),
    }));
  }

  /**
   * An older access of the namespace that names the same Secret. The sidecar of v1alpha1 leaves a Secret that exists as
   * it is and reports the access as granted, so the credentials of the later one are written nowhere.
   */
  get rival(): BucketAccess | undefined {
    if (isSecondVersion(this.access)) return undefined;
    const own = secretNamesOf(this.access);
    if (own.length === 0) return undefined;
    return this.ask
      .list('BucketAccess', this.namespace, 'which accesses to buckets write to the same Secret')
      .items.find(
        (other) =>
          other.metadata.name !== this.access.metadata.name &&
          secretNamesOf(other).some((name) => own.includes(name)) &&
          isOlder(other, this.access),
      );
  }
}

function isOlder(one: BucketAccess, other: BucketAccess): boolean {
  const [left, right] = [one, other].map(({ metadata }) => parseTime(metadata.creationTimestamp) ?? 0);
  return left === right ? compareText(one.metadata.name, other.metadata.name) < 0 : (left ?? 0) < (right ?? 0);
}

const cases = new WeakMap<object, BucketAccessCase>();

/** One case for each subject, shared by several rules. */
export function bucketAccessCaseOf(subject: ObjectCase<'BucketAccess'>): BucketAccessCase {
  const known = cases.get(subject) ?? new BucketAccessCase(subject.ask, subject.object);
  cases.set(subject, known);
  return known;
}
