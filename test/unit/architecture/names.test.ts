import { expect } from 'chai'
import { sources } from '../../support/files/sources.ts'

/** One idea at both ends: what a person commands, and what the daemon does when it is told so. */
const commands = [
  'approve',
  'discard',
  'suspend',
  'resume',
  'retry',
  'rollback',
  'pauseDeployment',
  'abortDeployment',
  'redeploy',
  'forceUpgrade',
  'deleteUpgrade',
  'drain',
  'undrain',
  'metrics',
]

describe('a name', () => {
  it('has one meaning: no two files of lib export the same', () => {
    const twice = [...exporters()].filter(([, paths]) => paths.length > 1)
    const unknown = twice.filter(([name]) => !commands.includes(name))
    expect(unknown.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).to.deep.equal([])
  })

  it('stands in no list of exceptions once it needs none', () => {
    const exported = exporters()
    const settled = commands.filter(name => (exported.get(name)?.length ?? 0) < 2)
    expect(settled).to.deep.equal([])
  })
})

/** Returns the files that export each name. Types made from a schema bear the names of its keys. */
function exporters(): ReadonlyMap<string, readonly string[]> {
  const exported = /^export (?:abstract |async )?(?:const|function\*?|class|type|interface|enum) (\w+)/gm
  const written = sources.filter(({ path }) => !path.endsWith('.gen.ts'))
  const all = written.flatMap(({ path, text }) =>
    [...new Set([...text.matchAll(exported)].map(([, name = '']) => name))].map(name => ({ name, path })),
  )
  const byName = Map.groupBy(all, ({ name }) => name)
  return new Map([...byName].map(([name, places]) => [name, places.map(({ path }) => path)]))
}
