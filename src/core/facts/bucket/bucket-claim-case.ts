import type { Bucket, BucketClaim, ObjectOf } from '../../kube/kinds.ts';
import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import type { ObjectCase } from '../object-case.ts';
import { boundBucketOf, claimRefOf, driverOfClass, isSecondVersion } from './bucket.ts';

export type BucketClass = ObjectOf<'BucketClass'>;

/** Whose a Bucket is that a claim names: its own, free to be bound, or another claim's. */
export type BucketHolder = 'own' | 'free' | 'other';

/** A BucketClaim, its class and its Bucket. Objects are read on first use. */
export class BucketClaimCase {
  readonly ask: Inquiry;
  readonly claim: BucketClaim;
  #bucket: Lookup<Bucket> | undefined;

  constructor(ask: Inquiry, claim: BucketClaim) {
    this.ask = ask;
    this.claim = claim;
  }

  /** The name of a Bucket that the user wants to use instead of a new one. */
  get existingName(): string | undefined {
    return this.claim.spec?.existingBucketName || undefined;
  }

  get className(): string | undefined {
    return this.claim.spec?.bucketClassName || undefined;
  }

  /**
   * The Bucket that it is bound to or names, or the name that the controller derives from the uid (bc- in v1alpha2,
   * bucket- before).
   */
  get bucketName(): string | undefined {
    const { uid } = this.claim.metadata;
    const derived = uid && `${isSecondVersion(this.claim) ? 'bc' : 'bucket'}-${uid}`;
    return boundBucketOf(this.claim) ?? this.existingName ?? derived;
  }

  get bucketLookup(): Lookup<Bucket> {
    const { bucketName } = this;
    if (bucketName === undefined) return { state: 'unknown' };
    this.#bucket ??= this.ask.get(
      'Bucket',
      undefined,
      bucketName,
      `whether the Bucket of bucketclaim/${this.claim.metadata.name} exists and is ready`,
    );
    return this.#bucket;
  }

  get bucket(): Bucket | undefined {
    return this.bucketLookup.state === 'found' ? this.bucketLookup.object : undefined;
  }

  /** Undefined where the claim names no class. */
  get classLookup(): Lookup<BucketClass> | undefined {
    const { className } = this;
    return className === undefined
      ? undefined
      : this.ask.get('BucketClass', undefined, className, `whether bucketclass/${className} exists`);
  }

  get bucketClass(): BucketClass | undefined {
    return this.classLookup?.state === 'found' ? this.classLookup.object : undefined;
  }

  get driver(): string | undefined {
    return this.bucket?.spec?.driverName || driverOfClass(this.bucketClass);
  }

  /**
   * A Bucket without the uid of a claim is free for the claim that it names; v1alpha1 lets any claim take an existing
   * Bucket.
   */
  holderOf(bucket: Bucket): BucketHolder {
    const reference = claimRefOf(bucket);
    const { name, namespace, uid } = this.claim.metadata;
    if (!reference?.name) return 'free';
    const isSameName = reference.name === name && reference.namespace === namespace;
    if (!reference.uid) return isSameName ? 'free' : 'other';
    return reference.uid === uid && isSameName ? 'own' : 'other';
  }
}

const cases = new WeakMap<object, BucketClaimCase>();

/** One case for each subject, shared by several rules. */
export function bucketClaimCaseOf(subject: ObjectCase<'BucketClaim'>): BucketClaimCase {
  const known = cases.get(subject) ?? new BucketClaimCase(subject.ask, subject.object);
  cases.set(subject, known);
  return known;
}
