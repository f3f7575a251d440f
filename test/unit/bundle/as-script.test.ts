import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { runInThisContext } from 'node:vm'
import { expect } from 'chai'
import { asEntry, asScript } from '../../../bin/bundle/as-script.ts'

describe('a module as a script', () => {
  it('has what the module exports, under the same names', () => {
    const {
      one,
      add,
      default: whole,
    } = exportsOf(
      'const a = 1;\nfunction sum(b) {\n\treturn a + b;\n}\nvar C = class {};\nexport { a as one, sum as add, C as default };\n',
    )
    expect(one).to.equal(1)
    expect(add(2)).to.equal(3)
    expect(new whole()).to.be.an('object')
  })

  it('gets own files, libraries and parts of Node under the names that it gives them', () => {
    const { found } = exportsOf(
      `import { a as b, default as c } from "./other.cjs";
import * as all from "./other.cjs";
import d from "./other.cjs";
import path, { basename } from "node:path";
import { parse } from "yaml";
import "./effect.cjs";
const found = [b, c, all.a, d, path.basename === basename, parse("7")];
export { found };`,
    )
    expect(found).to.deep.equal(['a of ./other.cjs', 'c', 'a of ./other.cjs', 'c', true, 7])
    expect(asked).to.include('./effect.cjs')
  })

  it('hands on what it exports of another file', () => {
    expect(exportsOf('export { a as b } from "./other.cjs";\n')).to.deep.equal({ b: 'a of ./other.cjs' })
    const handedOn =
      'import { a } from "./other.cjs";\nconst c = 1;\nexport { a as b };\nexport { a as d, c };\n'
    expect(exportsOf(handedOn)).to.deep.equal({ b: 'a of ./other.cjs', d: 'a of ./other.cjs', c: 1 })
  })

  it('gets own files that it imports late as a promise, and others as before', async () => {
    const { later, known } = exportsOf(
      'const later = () => import("./other.cjs");\nconst known = () => import("node:path");\nexport { later, known };\n',
    )
    expect((await later()).a).to.equal('a of ./other.cjs')
    expect(String(known)).to.equal('() => import("node:path")')
  })

  it('knows where it is, and is strict', () => {
    const { place, self } = exportsOf(
      'const place = import.meta.url;\nfunction self() {\n\treturn this;\n}\nexport { place, self };\n',
    )
    expect(place).to.equal('file:///there/file.cjs')
    expect(self.call(undefined)).to.equal(undefined)
  })

  it('has each line where the module has it', () => {
    const code =
      'import {\n\ta,\n\tb\n} from "./other.cjs";\nfunction mark() {}\nexport {\n\tmark\n};\n//# sourceMappingURL=x.map'
    const lines = asScript(code, 'file.cjs').split('\n')
    expect(lines[4]).to.equal('function mark() {}')
    expect(lines[8]).to.equal('//# sourceMappingURL=x.map')
  })

  const refused: Readonly<Record<string, readonly [string, string]>> = {
    'exports what may change': ['let a = 1;\nexport { a as b };', 'what it exports as b may change'],
    'exports all of another file': ['export * from "./other.cjs";', 'it exports all of another file'],
    'takes the default of a library': [
      'import yaml from "yaml";\nyaml.parse("");',
      'it imports the default of yaml, which says nothing of its kind',
    ],
    'does something before it imports': [
      'import "./a.cjs";\nfirst();\nimport "./b.cjs";',
      'something stands before an import',
    ],
    'has other letters': ['const a = "\u00b5";', 'it is not ASCII'],
    'uses a name that it is given': ['const $load = 1;', 'it has a name that scripts are given'],
  }
  for (const [what, [code, why]] of Object.entries(refused))
    it(`is refused where the module ${what}`, () => {
      expect(() => asScript(code, 'file.cjs')).to.throw(`file.cjs cannot become a script: ${why}.`)
    })

  it('is refused where the module waits before it is done', () => {
    expect(() => asScript('const a = await b();\nexport { a };', 'file.cjs')).to.throw(SyntaxError)
  })
})

describe('the first module of a program', () => {
  it('stays a module, and loads the others by the loader', () => {
    const code =
      'import { readFileSync } from "node:fs";\nimport { a } from "./other.cjs";\nawait import("./late.cjs");\n'
    expect(asEntry(code, 'main.js', './load.js').split('\n')).to.deep.equal([
      'import { $load, $late, $require } from "./load.js"; const $url = import.meta.url; const { "readFileSync": readFileSync } = $require("node:fs");',
      'const { "a": a } = $load("./other.cjs");',
      'await $late("./late.cjs");',
      '',
    ])
  })
})

const asked: string[] = []

/** What a module exports, run as a script. Another file exports `a`, which says of which file, and the default `c`. */
function exportsOf(code: string) {
  const load = (name: string) => {
    asked.push(name)
    return { a: `a of ${name}`, default: 'c' }
  }
  const late = async (name: string) => load(name)
  const run = runInThisContext(asScript(code, 'file.cjs'), { filename: basename(import.meta.filename) })
  return run(load, late, createRequire(import.meta.url), 'file:///there/file.cjs')
}
