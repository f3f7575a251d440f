import { expect } from 'chai'
import type { Site } from '../../../lib/config/site/sites.ts'
import { type Config, loadConfig } from '../../../lib/config.ts'
import { connectSites } from '../../../lib/daemon/connected-sites.ts'
import { createReread } from '../../../lib/daemon/reread.ts'
import { asSite } from '../../support/builders/sites.ts'
import { silent } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const { origin: _, ...usual } = loadConfig({ repository: '.' }, {})
const none: Config = { ...usual, origin: { file: '/etc/tallyman/tallyman.yaml' } }
const { namesNoSite: __, ...named } = none

function withSites(...names: readonly string[]): Config {
  return { ...named, sites: names.map(name => asSite({ name })) }
}

/** With these sites in files, each of which is called as its site is. */
function filed(names: readonly string[]): Config {
  const sitesDirectory = '/etc/tallyman/sites'
  return {
    ...named,
    sitesDirectory,
    sites: names.map(name => asSite({ name, file: `${sitesDirectory}/${name}.yaml` })),
  }
}

/** The sites of a daemon that read one configuration after the other, and what it said was wrong. */
function read(first: Config, ...later: readonly Config[]): readonly [readonly string[], readonly string[]] {
  // What does not count yet is read again.
  return readOnce(first, ...later.flatMap(config => [config, config]))
}

/** Each of them is read once. */
function readOnce(...all: readonly [Config, ...Config[]]): readonly [readonly string[], readonly string[]] {
  const said: string[] = []
  const [first, ...later] = all
  const sites = connectSites(first, ({ name }) => memoryEngine({ site: name }))
  const parts = {
    adopt: sites.adopt,
    get config() {
      return sites.config()
    },
  }
  let now = first
  const again = createReread(
    parts,
    () => now,
    { ...silent, error: text => void said.push(text) },
    () => {},
  )
  for (const one of later) {
    now = one
    again()
  }
  return [sites.engines().map(({ site }) => site), said]
}

describe('a configuration that a daemon reads again', () => {
  it('G4 keeps its sites if it names none any more, and takes what it names again', () => {
    const [sites, [said = '', ...more]] = read(withSites('lab', 'north'), none, none)
    expect([sites, more]).to.deep.equal([['lab', 'north'], []])
    expect(said).to.match(
      /^the configuration of sites is wrong, and stays as it was: .*names no sites any more/,
    )
    const [back] = read(withSites('lab', 'north'), none, withSites('lab'))
    expect(back, 'right again').to.deep.equal(['lab'])
  })

  it('G4 keeps its sites while its directory has no file of a site that can be used, and says so once', () => {
    const before = filed(['lab', 'north'])
    const newFile = { name: 'new', problems: [{ code: 'config-invalid', message: 'is empty' } as const] }
    for (const [what, empty] of [
      ['no file', filed([])],
      ['only a wrong file of a new site', { ...filed([]), wrongSites: [newFile] }],
    ] as const) {
      const [sites, said] = read(before, empty, empty)
      expect(sites, what).to.deep.equal(['lab', 'north'])
      expect(
        said.filter(text => text.includes('/etc/tallyman/sites: the configuration names no sites any more')),
        what,
      ).to.have.length(1)
      expect(said.some(text => text.includes('is empty'))).to.equal(empty.wrongSites.length > 0)
      expect(read(before, empty, filed(['north'])), 'files come back').to.deep.include(['north'])
    }
    expect(read(filed([]), filed([])), 'there was none before').to.deep.equal([[], []])
    const listed = { ...named, sitesDirectory: '/etc/tallyman/sites' }
    const left = { ...listed, sites: [] }
    expect(read({ ...listed, sites: [asSite({ name: 'lab' })] }, left)[0], 'of the list').to.deep.equal([
      'lab',
    ])
  })

  it('G4 keeps the sites of wrong files alone where all files are wrong, and says nothing else', () => {
    const problems = [{ code: 'config-invalid', message: 'is wrong' } as const]
    const wrong = { ...filed([]), wrongSites: ['lab', 'north'].map(name => ({ name, problems })) }
    const [sites, said] = read(filed(['lab', 'north']), wrong)
    expect(sites).to.deep.equal(['lab', 'north'])
    expect(said.filter(text => !text.includes('is wrong'))).to.deep.equal([])
  })

  it('G4 has a site until it is missing twice, for files that are being replaced can be missed', () => {
    const both = filed(['lab', 'north'])
    const lab = filed(['lab'])
    expect(readOnce(both, lab)[0], 'missing once').to.deep.equal(['lab', 'north'])
    expect(readOnce(both, lab, both, lab)[0], 'there in between').to.deep.equal(['lab', 'north'])
    expect(readOnce(both, lab, filed(['north']))[0], 'another one').to.deep.equal(['lab', 'north'])
    expect(readOnce(both, lab, lab)[0], 'missing twice').to.deep.equal(['lab'])
    expect(readOnce(lab, both)[0], 'a new one').to.deep.equal(['lab', 'north'])
  })

  it('G4 asks the engine that a site had until another one is read twice', () => {
    const at = (endpoint: string): Config => ({ ...named, sites: [asSite({ name: 'lab', endpoint })] })
    const connections: (string | undefined)[] = []
    const connect = ({ name, endpoint }: Site) => {
      connections.push(endpoint)
      return memoryEngine({ site: name })
    }
    const half = at('unix:///run/doc')
    const sites = connectSites(at('unix:///run/docker.sock'), connect)
    const again = createReread(
      { adopt: sites.adopt, config: sites.config() },
      () => half,
      silent,
      () => {},
    )
    expect([again(), ...connections], 'read once').to.deep.equal([false, 'unix:///run/docker.sock'])
    expect([again(), ...connections], 'read twice').to.deep.equal([
      true,
      'unix:///run/docker.sock',
      'unix:///run/doc',
    ])
  })

  it('G17 has the engine of this machine where it is named, or was the only one before', () => {
    expect(read(withSites('lab'), withSites('local'))).to.deep.equal([['local'], []])
    expect(read(none, none)).to.deep.equal([['local'], []])
    expect(read(none, withSites('lab'))).to.deep.equal([['lab'], []])
  })
})
