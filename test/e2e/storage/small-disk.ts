import { mkdirSync, rmSync } from 'node:fs';
import { mustRun, runCommand } from '../cluster/command.ts';

/** A file system in a file, so small that a program can fill it: the volumes of a hostpath driver share it. */
export class SmallDisk {
  readonly #image: string;
  readonly #place: string;

  private constructor(image: string, place: string) {
    this.#image = image;
    this.#place = place;
  }

  /** `words` are those of mkfs.ext4, such as -N 64 for few inodes. Nothing is reserved for root, who writes here. */
  static async mount(place: string, megabytes: number, words: readonly string[] = []): Promise<SmallDisk> {
    const disk = new SmallDisk(`${place}.img`, place);
    mkdirSync(place, { recursive: true });
    await mustRun('truncate', ['-s', `${megabytes}M`, disk.#image]);
    await mustRun('mkfs.ext4', ['-q', '-F', '-m', '0', ...words, disk.#image]);
    await mustRun('mount', ['-o', 'loop', disk.#image, place]);
    return disk;
  }

  async unmount(): Promise<void> {
    await runCommand('umount', ['--lazy', this.#place]);
    rmSync(this.#image, { force: true });
  }
}
