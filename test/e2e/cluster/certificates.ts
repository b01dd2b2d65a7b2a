import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { mustRun } from './command.ts';

export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority of our own for one run; node:crypto cannot sign certificates, openssl can. */
export class Authority {
  readonly directory: string;
  readonly certificate: string;
  readonly #key: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.certificate = join(directory, 'ca.crt');
    this.#key = join(directory, 'ca.key');
  }

  static async create(directory: string): Promise<Authority> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const authority = new Authority(directory);
    await mustRun('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=kubectl-csi-e2e',
      '-addext',
      'keyUsage=critical,keyCertSign,digitalSignature',
      '-keyout',
      authority.#key,
      '-out',
      authority.certificate,
    ]);
    return authority;
  }

  /** One certificate serves and identifies: the user is the common name, the groups are the organisations. */
  async issue(
    file: string,
    user: string,
    groups: readonly string[] = [],
    addresses: readonly string[] = [],
  ): Promise<Certificate> {
    const path = (suffix: string): string => join(this.directory, `${file}.${suffix}`);
    const subject = [...groups.map((group) => `/O=${group}`), `/CN=${user}`].join('');
    await mustRun('openssl', [
      'req',
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      subject,
      '-keyout',
      path('key'),
      '-out',
      path('csr'),
    ]);
    const names = addresses.map((address) => (isIP(address) ? `IP:${address}` : `DNS:${address}`));
    writeFileSync(
      path('ext'),
      `extendedKeyUsage=serverAuth,clientAuth\n${names.length > 0 ? `subjectAltName=${names.join(',')}\n` : ''}`,
    );
    await mustRun('openssl', [
      'x509',
      '-req',
      '-in',
      path('csr'),
      '-CA',
      this.certificate,
      '-CAkey',
      this.#key,
      '-set_serial',
      `0x${randomBytes(8).toString('hex')}`,
      '-days',
      '2',
      '-extfile',
      path('ext'),
      '-out',
      path('crt'),
    ]);
    return { certificate: path('crt'), key: path('key') };
  }

  async signingKey(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
    const keys = {
      publicKey: join(this.directory, 'service-accounts.pub'),
      privateKey: join(this.directory, 'service-accounts.key'),
    };
    await mustRun('openssl', ['genrsa', '-out', keys.privateKey, '2048']);
    await mustRun('openssl', ['rsa', '-in', keys.privateKey, '-pubout', '-out', keys.publicKey]);
    return keys;
  }

  /** A kubeconfig with one context and no namespace of its own. */
  writeKubeconfig(file: string, server: string, { certificate, key }: Certificate): string {
    const path = join(this.directory, `${file}.kubeconfig`);
    const encode = (source: string): string => readFileSync(source).toString('base64');
    writeFileSync(
      path,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'e2e',
        clusters: [{ name: 'e2e', cluster: { server, 'certificate-authority-data': encode(this.certificate) } }],
        users: [
          { name: file, user: { 'client-certificate-data': encode(certificate), 'client-key-data': encode(key) } },
        ],
        contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: file } }],
      }),
      { mode: 0o600 },
    );
    return path;
  }
}
