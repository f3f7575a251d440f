import { expect } from 'chai'
import type { WrongSite } from '../../../lib/config/site/found-sites.ts'
import type { Site } from '../../../lib/config/site/sites.ts'
import { loadConfig } from '../../../lib/config.ts'
import { connectSites } from '../../../lib/daemon/connected-sites.ts'
import { Failure } from '../../../lib/errors.ts'
import { asSite, type SiteEntry } from '../../support/builders/sites.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const at = (name: string, endpoint = `tcp://${name}:2376`): SiteEntry => ({ name, endpoint })
const filed = (name: string): SiteEntry => ({ ...at(name), file: `/etc/tallyman/sites/${name}.yaml` })
const wrong = (name?: string): WrongSite => ({
  ...(name === undefined ? {} : { name }),
  problems: [{ code: 'config-invalid', message: 'is wrong' }],
})

/** An endpoint to which nobody can connect. */
const unusable = 'tcp://odd:2376'

/** Sites of a process, and the endpoints of the engines that it closed. */
function connected(...entries: readonly SiteEntry[]) {
  const closed: (string | undefined)[] = []
  const { origin: _, ...usual } = loadConfig({ repository: '.' }, {})
  const connectTo = ({ name, endpoint }: Site) => {
    if (endpoint === unusable) throw new Failure('config-invalid', `sites/${name}/endpoint: is odd`)
    return { ...memoryEngine({ site: name }), close: () => void closed.push(endpoint) }
  }
  const sites = connectSites({ ...usual, origin: {}, sites: entries.map(asSite) }, connectTo)
  return {
    sites,
    closed,
    adopt: (entries: readonly SiteEntry[], wrongSites: readonly WrongSite[] = []) =>
      sites.adopt({ sites: entries.map(asSite), wrongSites }),
    names: () => sites.engines().map(({ site }) => site),
  }
}

describe('the sites of a process', () => {
  it('G17 come and go, and only the engines that are none any more are closed', () => {
    const { adopt, names, closed, sites } = connected(at('a'), at('b'))
    const [first] = sites.engines()
    expect(adopt([at('c'), at('a')])).to.deep.equal({ added: ['c'], changed: [], removed: ['b'] })
    expect([names(), closed, sites.removed()]).to.deep.equal([['c', 'a'], ['tcp://b:2376'], ['b']])
    expect(sites.engines()[1]).to.equal(first)
    expect(adopt([at('a'), at('b')])).to.deep.equal({ added: ['b'], changed: [], removed: ['c'] })
    expect(sites.removed()).to.deep.equal(['c'])
    sites.close()
    expect(closed).to.deep.equal(['tcp://b:2376', 'tcp://c:2376', 'tcp://a:2376', 'tcp://b:2376'])
  })

  it('A25 that have another name now are not gone: their endpoints are served', () => {
    const { adopt, sites } = connected(at('a'), at('b'))
    expect(adopt([at('north', 'tcp://a:2376')])).to.deep.equal({
      ...{ added: ['north'], changed: [], removed: ['a', 'b'] },
    })
    expect(sites.removed()).to.deep.equal(['b'])
    adopt([at('north', 'tcp://a:2376'), at('south', 'tcp://b:2376')])
    expect(sites.removed(), 'it came back later').to.deep.equal([])
  })

  it('G17 get another connection if they are reached otherwise, and keep it if only their labels or environments change', () => {
    const { adopt, closed, sites } = connected(at('a'), at('b'))
    const [a, b] = sites.engines()
    const news = adopt([{ ...at('a'), environments: ['prod'] }, at('b', 'tcp://other:2376')])
    expect(news).to.deep.equal({ added: [], changed: ['a', 'b'], removed: [] })
    expect([sites.engines()[0] === a, sites.engines()[1] === b, closed]).to.deep.equal([
      true,
      false,
      ['tcp://b:2376'],
    ])
    expect(sites.config().sites[0]?.environments).to.deep.equal(['prod'])
  })

  it('G4 G17 stay as they were if nobody can connect to them as they are written now, and all others are taken over', () => {
    const { adopt, names, closed, sites } = connected(at('a'), at('b'))
    const [a] = sites.engines()
    expect(adopt([at('a', unusable), at('c'), at('d', unusable)])).to.deep.equal({
      ...{ added: ['c'], changed: [], removed: ['b'] },
    })
    expect([names(), closed, sites.engines()[0]]).to.deep.equal([['a', 'c'], ['tcp://b:2376'], a])
    const { wrongSites } = sites.config()
    expect(wrongSites.map(({ name, problems: [problem] }) => [name, problem?.message])).to.deep.equal([
      ['a', 'sites/a/endpoint: is odd'],
      ['d', 'sites/d/endpoint: is odd'],
    ])
    adopt([at('a'), at('c'), at('d')])
    expect([names(), sites.config().wrongSites]).to.deep.equal([['a', 'c', 'd'], []])
  })

  it('G4 stay as they were while their file is wrong, and all of the directory while nobody can read it', () => {
    const { adopt, names, closed, sites } = connected(at('listed'), filed('a'), filed('b'))
    expect(adopt([at('listed'), filed('b')], [wrong('a'), wrong('new')])).to.deep.equal({
      ...{ added: [], changed: [], removed: [] },
    })
    expect(names()).to.have.members(['listed', 'a', 'b'])
    expect(sites.config().wrongSites.map(({ name }) => name)).to.deep.equal(['a', 'new'])
    adopt([at('listed')], [wrong()])
    expect([names(), closed]).to.deep.equal([['listed', 'b', 'a'], []])
    expect(adopt([at('listed')]).removed).to.have.members(['a', 'b'])
  })

  it('G17 are the same list while none comes or goes', () => {
    const { adopt, sites } = connected(at('a'))
    const before = sites.config()
    expect(sites.config()).to.equal(before)
    adopt([at('a')])
    expect(sites.config().sites).to.deep.equal(before.sites)
  })
})
