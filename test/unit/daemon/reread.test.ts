import { expect } from 'chai'
import { type Config, loadConfig } from '../../../lib/config.ts'
import { connectSites } from '../../../lib/daemon/connected-sites.ts'
import { createReread } from '../../../lib/daemon/reread.ts'
import { silent } from '../../support/memory-daemon.ts'
import { memoryEngine } from '../../support/memory-engine.ts'
import { asSite } from '../../support/sites.ts'

const { origin: _, ...usual } = loadConfig({ repository: '.' }, {})
const none: Config = { ...usual, origin: { file: '/etc/tallyman/tallyman.yaml' } }
const { namesNoSite: __, ...named } = none

function withSites(...names: readonly string[]): Config {
  return { ...named, sites: names.map(name => asSite({ name })) }
}

/** The sites of a daemon that read one configuration after the other, and what it said was wrong. */
function read(...all: readonly [Config, ...Config[]]): readonly [readonly string[], readonly string[]] {
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

  it('G17 has the engine of this machine where it is named, or was the only one before', () => {
    expect(read(withSites('lab'), withSites('local'))).to.deep.equal([['local'], []])
    expect(read(none, none)).to.deep.equal([['local'], []])
    expect(read(none, withSites('lab'))).to.deep.equal([['lab'], []])
  })
})
