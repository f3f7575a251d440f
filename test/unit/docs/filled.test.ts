import { expect } from 'chai'
import { catalogue } from '../../../lib/errors/catalogue.ts'
import { formatProblem } from '../../../lib/errors.ts'
import { openSource } from '../../../lib/git/source.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { documentPaths, isThere, readText } from '../../docs/documents.ts'
import { filled } from '../../docs/fill.ts'
import { fixtureDirectory } from '../../support/files/fixture.ts'

describe('documents', () => {
  for (const path of documentPaths()) {
    it(`${path} quotes files and errors as they are (if not: node test/docs/fill.ts)`, () => {
      expect(readText(path)).to.equal(filled(readText(path)))
    })

    it(`${path} has a block of code after every mark of a file`, () => {
      const bare = readText(path).match(/<!-- file \S+ -->\n(?!\n?```).*/g) ?? []
      expect(bare).to.deep.equal([])
    })

    it(`${path} links only to files and headings that exist`, () => {
      const broken = linksOf(readText(path)).filter(link => !leadsSomewhere(path, link))
      expect(broken).to.deep.equal([])
    })
  }

  it('every error code has a heading in docs/errors.md, and every heading there is a code', () => {
    const headings = readText('docs/errors.md').matchAll(/^## (.*)$/gm)
    expect([...headings].map(([, heading]) => heading)).to.have.members(Object.keys(catalogue))
  })

  for (const scenario of ['invalid', 'invalid-deployments', 'invalid-sites'])
    it(`docs/examples/${scenario}.txt is what validating fixtures/${scenario} says`, async () => {
      const context = {
        source: `file:///${scenario}`,
        policy: strictPolicy,
        healthyMs: 5_000,
        sandboxImage: 'busybox:stable',
        secrets: anySecrets,
      }
      const signal = new AbortController().signal
      const files = openSource({ url: fixtureDirectory(scenario) }, '')
      const snapshot = await files.snapshot(await files.lookUp(signal), signal)
      const { problems } = await validateRepository(snapshot, context)
      expect(readText(`docs/examples/${scenario}.txt`).trimEnd().split('\n')).to.deep.equal(
        problems.map(formatProblem),
      )
    })
})

function linksOf(document: string): readonly string[] {
  const prose = document.replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
}

function leadsSomewhere(from: string, link: string): boolean {
  if (/^https?:/.test(link)) return true
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? from : new URL(path, `file:///${from}`).pathname.slice(1)
  if (!isThere(target)) return false
  return anchor === undefined || headingsOf(readText(target)).includes(anchor)
}

function headingsOf(document: string): readonly string[] {
  return [...document.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
