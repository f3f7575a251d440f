import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'acorn'
import { expect } from 'chai'
import { checkSync } from 'recheck'
import { transformSync } from 'rolldown/utils'

const root = join(import.meta.dirname, '../..')

/** Every regular expression that is written out in a source file. */
function literalsOf(source: string): readonly string[] {
  const { code } = transformSync('source.ts', source)
  const found: string[] = []
  parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken: ({ type, start, end }) => {
      if (type.label === 'regexp') found.push(code.slice(start, end))
    },
  })
  return found
}

/** What a text can make slow, so that its time grows faster than its length; and what cannot be judged, or not soon. */
function judged(source: string): readonly string[] {
  return literalsOf(source).flatMap(literal => {
    const status = statusOf(literal)
    return status === 'safe' ? [] : [`${status === 'vulnerable' ? 'slow' : 'not judged'}: ${literal}`]
  })
}

const known = new Map<string, string>()

/** Some are written more than once, and to judge one may take a second. */
function statusOf(literal: string): string {
  const status = known.get(literal) ?? judge(literal)
  known.set(literal, status)
  return status
}

function judge(literal: string): string {
  const end = literal.lastIndexOf('/')
  const options = { checker: 'automaton', timeout: 30_000 } as const
  return checkSync(literal.slice(1, end), literal.slice(end + 1), options).status
}

describe('regular expressions', () => {
  it('G24 take time in proportion to the text, whatever it is', () => {
    const files = globSync('lib/**/*.ts', { cwd: root }).filter(file => !file.endsWith('.gen.ts'))
    const found = files.flatMap(file =>
      judged(readFileSync(join(root, file), 'utf8')).map(each => `${file}: ${each}`),
    )
    // What looks around itself is judged by reading: each of these stops at its first character, or has a bound.
    expect(found.map(each => each.split(': /')[0])).to.have.members([
      'lib/git/local/local-refs.ts: not judged',
      'lib/ingress/container/replies.ts: not judged',
      'lib/ingress/figures.ts: not judged',
      'lib/text/redaction/mask.ts: not judged',
      'lib/registry/api/challenge.ts: not judged',
    ])
  })

  it('G24 are found where a text can make them slow', () => {
    expect(judged("const path: string = text.replace(/\\/+$/, '')")).to.deep.equal(['slow: /\\/+$/'])
    expect(judged('text.split(/(\\$\\{[^}]*\\})/)')).to.deep.equal(['slow: /(\\$\\{[^}]*\\})/'])
    expect(judged('const is = /^(a+)+$/.test(text as string)')).to.deep.equal(['slow: /^(a+)+$/'])
    expect(judged('/a*(?=b*c)/.test(text)')).to.deep.equal(['not judged: /a*(?=b*c)/'])
    expect(judged("const path = text.replace(/^\\/+/, '')")).to.deep.equal([])
  })
})
