import type { Redaction } from '../../core/report/capture.ts';
import { isKnownKind, shapeOf } from '../../core/kube/kinds.ts';
import { clip } from '../../core/kube/shape.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { redact } from '../redact.ts';
import { keepsAnnotation, reduceApplied, appliedAnnotation } from './annotations.ts';
import { redactCommandLine, redactEnvironment } from './command-line.ts';
import { reduceLastWords } from './last-words.ts';
import { looksLikeCredential, namesCredential, redacted, scrub } from './credentials.ts';

export interface RedactOptions {
  /** Names, handles and uids: they may look random but are no credentials. */
  readonly isIdentifier: (text: string) => boolean;
  /** Annotations that a class uses in names. */
  readonly inTemplates: ReadonlySet<string>;
  /** Called with each removed value, so that it can be searched elsewhere. */
  readonly onValue: (value: string, isCredential: boolean) => void;
  readonly onRedaction: (redaction: Redaction) => void;
}

type Fields = Readonly<Record<string, unknown>>;

const parameterMaps = new Set(['parameters', 'volumeAttributes', 'attachmentMetadata']);
const spokenFields = new Set(['message', 'note']);

/**
 * Keeps only the fields that are read of the object's kind, then removes what may be a credential. Undefined for a kind
 * that nothing reads.
 */
export function redactObject(object: RawObject, options: RedactOptions): RawObject | undefined {
  if (!isKnownKind(object.kind)) return undefined;
  const cut = clip(redact(object), shapeOf(object.kind)) as RawObject | undefined;
  if (cut === undefined || typeof cut.metadata?.name !== 'string') return undefined;
  return new Redactor(cut, options).redact();
}

class Redactor {
  readonly #object: RawObject;
  readonly #name: string;
  readonly #options: RedactOptions;

  constructor(object: RawObject, options: RedactOptions) {
    this.#object = object;
    this.#name = [object.kind.toLowerCase(), object.metadata.namespace, object.metadata.name]
      .filter((part) => part !== undefined)
      .join('/');
    this.#options = options;
  }

  redact(): RawObject {
    return this.#visit(this.#object, '') as RawObject;
  }

  #visit(value: unknown, path: string): unknown {
    if (typeof value === 'string')
      return this.#scrub(
        value,
        path,
        spokenFields.has(path.slice(path.lastIndexOf('.') + 1)) ? 'message' : 'other text',
      );
    if (Array.isArray(value)) return value.map((item, index) => this.#visit(item, `${path}[${index}]`));
    if (typeof value !== 'object' || value === null) return value;
    return this.#visitFields(value as Fields, path);
  }

  #visitFields(fields: Fields, path: string): Fields {
    const result: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(fields)) {
      const kept = this.#visitField(key, value, path === '' ? key : `${path}.${key}`);
      if (kept !== undefined) result[key] = kept;
    }
    return result;
  }

  #visitField(key: string, value: unknown, path: string): unknown {
    if (key === 'annotations' && isFields(value)) return this.#annotations(value, path);
    if (parameterMaps.has(key) && isFields(value)) return this.#parameters(value, path);
    if (key === 'fieldsV1') return this.#fieldSet(value, path);
    if (key === 'inlineVolumeSpec') return this.#inlineVolume(value, path);
    if (key === 'env' && Array.isArray(value))
      return redactEnvironment(value as readonly Fields[], (name, taken) =>
        this.#took(`${path}[${name}]`, 'environment value', taken, namesCredential(name)),
      );
    if ((key === 'args' || key === 'command') && Array.isArray(value))
      return redactCommandLine(value as readonly string[], key === 'command', (index, taken, isCredential) =>
        this.#took(`${path}[${index}]`, 'argument', taken, isCredential),
      );
    if (key === 'mountOptions' && Array.isArray(value))
      return (value as readonly string[]).map((option, index) => this.#mountOption(option, `${path}[${index}]`));
    if (key === 'terminated' && isFields(value)) return this.#visitFields(this.#withoutLog(value, path), path);
    return this.#visit(value, path);
  }

  #annotations(annotations: Fields, path: string): Fields {
    const result: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(annotations)) {
      if (typeof value !== 'string') continue;
      const place = `${path}[${key}]`;
      const applied = key === appliedAnnotation ? reduceApplied(this.#object.kind, value) : undefined;
      if (applied !== undefined) result[key] = this.#scrub(applied, place, 'annotation');
      else if (keepsAnnotation(this.#object.kind, key, value, this.#options.inTemplates))
        result[key] = this.#scrub(value, place, 'annotation');
      else this.#took(place, 'annotation', value, namesCredential(key));
    }
    return result;
  }

  #parameters(parameters: Fields, path: string): Fields {
    return Object.fromEntries(
      Object.entries(parameters).map(([key, value]) => {
        if (typeof value !== 'string' || value === '') return [key, value];
        const isCredential = namesCredential(key) && !isTemplate(value);
        if (!isCredential && !looksLikeCredential(value, this.#options.isIdentifier)) return [key, value];
        this.#took(`${path}[${key}]`, 'parameter', value, true);
        return [key, redacted];
      }),
    );
  }

  #mountOption(option: string, path: string): string {
    const [name = '', ...rest] = option.split('=');
    const value = rest.join('=');
    if (value !== '' && namesCredential(name)) {
      this.#took(path, 'mount option', value, true);
      return `${name}=${redacted}`;
    }
    return this.#scrub(option, path, 'mount option');
  }

  /**
   * A termination message may be the end of a log: of programs other than drivers only what concerns a volume is
   * needed.
   */
  #withoutLog(terminated: Fields, path: string): Fields {
    const { message, ...rest } = terminated;
    if (typeof message !== 'string' || isDriverPod(this.#object) || isRuntimeReason(rest['reason'])) return terminated;
    this.#took(`${path}.message`, 'message', message, false);
    const telling = reduceLastWords(message, this.#object);
    return telling === undefined ? rest : { ...rest, message: telling };
  }

  /** Names of fields and of list items, without values; but a name may be anything. */
  #fieldSet(value: unknown, path: string): unknown {
    if (!isFields(value)) return undefined;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) =>
        looksLikeCredential(key, this.#options.isIdentifier)
          ? (this.#took(path, 'other text', key, false), [])
          : [[key, this.#fieldSet(item, path) ?? {}]],
      ),
    );
  }

  #inlineVolume(value: unknown, path: string): unknown {
    const shape = shapeOf('PersistentVolume') as { readonly fields: { readonly spec: Parameters<typeof clip>[1] } };
    return this.#visit(clip(value, shape.fields.spec), path);
  }

  #scrub(text: string, path: string, what: Redaction['what']): string {
    const clean = scrub(text, this.#options.isIdentifier);
    if (clean !== text) this.#options.onRedaction({ object: this.#name, path, what });
    return clean;
  }

  #took(path: string, what: Redaction['what'], value: string, isCredential: boolean): void {
    this.#options.onRedaction({ object: this.#name, path, what });
    this.#options.onValue(value, isCredential);
  }
}

/** `${pvc.name}` and the like, in the names of Secrets. */
function isTemplate(value: string): boolean {
  return value.startsWith('${');
}

const runtimeReasons =
  /^(?:ContainerCannotRun|StartError|RunContainerError|CreateContainer\w*|ContainerStatusUnknown)$/;

/** A message of the runtime, not of the program. */
function isRuntimeReason(reason: unknown): boolean {
  return typeof reason === 'string' && runtimeReasons.test(reason);
}

const driverWords = /csi|provisioner|attacher|resizer|snapshot|registrar|liveness-probe|livenessprobe/i;

function isDriverPod(object: RawObject): boolean {
  if (object.kind !== 'Pod') return false;
  const { spec } = object as {
    readonly spec?: { readonly containers?: readonly { readonly name?: string; readonly image?: string }[] };
  };
  return (spec?.containers ?? []).some(({ name = '', image = '' }) => driverWords.test(`${name} ${image}`));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
