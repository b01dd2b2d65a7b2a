import { describe, expect, it } from 'vitest';
import { asPartBodies } from '../../build/part-code.ts';

const user = `import {
  first,
  second as other
} from "./lib-A.js";
import "./lib-A.js";
import "./effects-B.js";

// src/user.ts
var sum = first + other;
var later = () => import("./lib-A.js");
export {
  sum,
  later as laterOn
};
`;
const lib = `var first = 1;
var second = 2;
export {
  first,
  second
};
`;
const bodies = asPartBodies([
  { name: 'user', text: user },
  { name: 'lib-A', text: lib },
  { name: 'effects-B', text: 'globalThis.ran = true;\n' },
]);

describe('a module becomes the body of a function', () => {
  it('in which imports are variables, and exports an object', async () => {
    const required: string[] = [];
    const module = { exports: {} as { sum?: number; laterOn?: () => Promise<unknown> } };
    const require = (path: string): object => {
      required.push(path);
      return { first: 1, second: 2 };
    };
    new Function('require', 'module', bodies.get('user') as string)(require, module);
    expect(module.exports.sum).toBe(3);
    expect(required).toEqual(['lib-A', 'effects-B']);
    expect(await module.exports.laterOn?.()).toEqual({ first: 1, second: 2 });
  });

  it('unless what it exports changes later', () => {
    for (const change of ['first = 2', 'first++', 'first ??= 3'])
      expect(() => asPartBodies([{ name: 'lib', text: `${lib}function set() {\n  ${change};\n}\n` }])).toThrow(
        'lib exports first, which changes',
      );
    expect(() => asPartBodies([{ name: 'lib', text: 'var first;\nexport {\n  first\n};\n' }])).toThrow('changes');
  });

  it('unless modules import each other', () => {
    const importing = (from: string): string => `import {\n  x\n} from "./${from}.js";\n`;
    expect(() =>
      asPartBodies([
        { name: 'a', text: importing('b') },
        { name: 'b', text: importing('a') },
      ]),
    ).toThrow('modules import each other: a → b → a');
  });

  it('unless the bundler writes an import in another way', () => {
    expect(() => asPartBodies([{ name: 'a', text: 'import x from "./b.js";\n' }])).toThrow('does not know how');
    expect(() => asPartBodies([{ name: 'a', text: 'export default 1;\n' }])).toThrow('does not know how');
  });
});
