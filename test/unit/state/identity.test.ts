import { expect } from 'chai'
import {
  environmentInWords,
  type Holder,
  holderOf,
  identityLabels,
  isOurs,
  type NameClaim,
  nameOnEngines,
  repositoryName,
} from '../../../lib/state/identity.ts'

const address = 'https://git.example.com/team/infra'
const infra = { source: 'team/infra', address }

describe('the name of a repository', () => {
  for (const moved of [
    'https://git.example.com/team/infra',
    'https://git.example.com/team/infra.git',
    'https://git.example.com/team/infra/',
    'https://git.example.com/team/infra.git/',
    'https://GIT.Example.com:8443/team/infra',
    'http://git.example.com/team/infra',
    'HTTPS://code.example.org/team/infra',
    'ssh://git@git.example.com:2222/team/infra.git',
    'git@git.example.com:team/infra.git',
    'git@git.example.com:/team/infra',
  ])
    it(`D17 is the path of its address, wherever it moves: ${moved}`, () => {
      expect(repositoryName(moved)).to.equal('team/infra')
    })

  it('D17 tells two repositories of one server apart, and knows the case of a path', () => {
    expect(repositoryName('https://git.example.com/team/Infra')).to.equal('team/Infra')
    expect(repositoryName('https://git.example.com/other/infra')).to.equal('other/infra')
  })

  it('D17 is the address where that has no path, or is on this machine', () => {
    expect(repositoryName('https://git.example.com')).to.equal('https://git.example.com')
    expect(repositoryName('file:///srv/manifests')).to.equal('file:///srv/manifests')
  })

  it('D17 is itself for what is a name already', () => {
    expect(repositoryName('team/infra')).to.equal('team/infra')
  })
})

describe("what is an environment's own", () => {
  const identity = { ...infra, environment: 'prod', directory: 'environments/prod' }
  const labels = (source: string, environment = 'prod') => ({
    'tallyman.environment': environment,
    'tallyman.source': source,
  })

  it('D17 bears the name of the repository and the directory, not the address', () => {
    expect(identityLabels(identity)).to.deep.equal({
      'tallyman.environment': 'prod',
      'tallyman.source': 'team/infra',
      'tallyman.directory': 'environments/prod',
    })
    expect(isOurs(identityLabels(identity), identity)).to.equal(true)
  })

  it('D17 is known by the older form, the whole address, wherever the repository was then', () => {
    expect(isOurs(labels(address), identity)).to.equal(true)
    expect(isOurs(labels('http://old.example.com/team/infra'), identity)).to.equal(true)
  })

  it('D17 is known by the address it is reached under, where the operator gave another name', () => {
    const local = { ...identity, address: 'file:///srv/manifests' }
    expect(isOurs(labels('file:///srv/manifests'), local)).to.equal(true)
    expect(isOurs(labels('file:///srv/others'), local)).to.equal(false)
  })

  it('D17 is known from a copy of the repository that was given the name', () => {
    const copy = { ...identity, address: 'file:///ci/build/17' }
    expect(isOurs(labels('team/infra'), copy)).to.equal(true)
    expect(isOurs(labels(address), copy)).to.equal(true)
  })

  it('G10 is nothing of another environment or repository, and nothing without labels', () => {
    expect(isOurs(labels('team/infra', 'stage'), identity)).to.equal(false)
    expect(isOurs(labels('team/shop'), identity)).to.equal(false)
    expect(isOurs(labels('https://git.example.com/team/shop'), identity)).to.equal(false)
    expect(isOurs({ 'tallyman.environment': 'prod' }, identity)).to.equal(false)
    expect(isOurs(labels(''), identity)).to.equal(false)
    expect(isOurs(labels('team/infra', ''), { ...identity, environment: '' })).to.equal(false)
    expect(isOurs({}, identity)).to.equal(false)
    expect(isOurs(null, identity)).to.equal(false)
    expect(isOurs(undefined, identity)).to.equal(false)
  })
})

describe('whose a thing is, by its labels', () => {
  it('G10 is told by labels that say something: a blank one stands in front of what an image says', () => {
    const blank = { 'tallyman.environment': '', 'tallyman.source': '', 'tallyman.directory': '' }
    expect(holderOf(blank)).to.equal(undefined)
    expect(holderOf({ ...blank, 'tallyman.environment': 'prod' })).to.equal(undefined)
    expect(holderOf({ ...blank, 'tallyman.environment': 'prod', 'tallyman.source': 'a' })).to.deep.equal({
      environment: 'prod',
      source: 'a',
    })
  })
})

describe('the name of an environment on engines', () => {
  const root = { name: 'prod', directory: 'environments/prod' }
  const a = { name: 'prod', directory: 'a/environments/prod' }
  const b = { name: 'prod', directory: 'b/environments/prod' }
  const bare: Omit<NameClaim, 'place' | 'places'> = {
    repository: infra,
    holders: [],
    isConfigured: () => false,
  }
  const older = (environment = 'prod'): Holder => ({ environment, source: address })
  const holds = (environment: string, { directory }: typeof a, source = 'team/infra'): Holder => ({
    environment,
    source,
    directory,
  })
  const names = (places: readonly (typeof a)[], more: Partial<NameClaim> = {}) =>
    places.map(place => nameOnEngines({ ...bare, places, ...more, place }))

  it('D17 is its plain name where the repository has one of that name, wherever it stands', () => {
    expect(names([root])).to.deep.equal(['prod'])
    expect(names([a])).to.deep.equal(['prod'])
    expect(names([{ name: 'devel', directory: 'environments/devel' }, root])).to.deep.equal(['devel', 'prod'])
  })

  it('D17 is never that of another one: the one at the root has the plain name, else the first', () => {
    expect(names([a, root])).to.deep.equal(['prod-59a31d6d', 'prod'])
    expect(names([b, a])).to.deep.equal(['prod-2b44136c', 'prod'])
  })

  it('D17 is one of several that bear its directory, in whatever order the engines tell of them', () => {
    const holders = [holds('prod-2', root), holds('prod-1', root)]
    expect(names([root], { holders })).to.deep.equal(['prod-1'])
    expect(names([root], { holders: holders.toReversed() })).to.deep.equal(['prod-1'])
    expect(names([root], { holders: [...holders, holds('prod', root)] })).to.deep.equal(['prod'])
  })

  it('D17 stays what it is when another environment of that name comes, even at the root', () => {
    expect(names([a, root], { holders: [holds('prod', a)] })).to.deep.equal(['prod', 'prod-f1af73bb'])
    expect(names([a, b], { holders: [holds('prod', b)] })).to.deep.equal(['prod-59a31d6d', 'prod'])
  })

  it('D17 stays what it is when the other environment of that name goes', () => {
    expect(names([b], { holders: [holds('prod-2b44136c', b)] })).to.deep.equal(['prod-2b44136c'])
  })

  it('D17 stays what it was before directories were told apart, for all that bears no directory', () => {
    expect(names([a], { holders: [older()] })).to.deep.equal(['prod'])
    expect(names([root, a], { holders: [older()] })).to.deep.equal(['prod', 'prod-59a31d6d'])
    expect(names([a, b], { holders: [older(), holds('prod', a)] })).to.deep.equal(['prod', 'prod-2b44136c'])
  })

  it('D17 is inherited by the environment that is run here, where others bear its name', () => {
    const isConfigured = ({ directory }: typeof a) => directory === b.directory
    expect(names([a, b], { holders: [older()], isConfigured })).to.deep.equal(['prod-59a31d6d', 'prod'])
    expect(names([root, b], { holders: [older()], isConfigured })).to.deep.equal(['prod-f1af73bb', 'prod'])
  })

  it('D17 is never that of another one, though a person gave one the name and the mark of the other', () => {
    const crafted = { name: 'prod-59a31d6d', directory: 'environments/prod-59a31d6d' }
    const all = [root, a, crafted]
    const apart = ['prod', 'prod-59a31d6d829e9715', 'prod-59a31d6d']
    expect(names(all)).to.deep.equal(apart)
    expect(names(all, { holders: [holds('prod-59a31d6d', crafted)] })).to.deep.equal(apart)
    expect(names(all, { holders: [holds('prod-59a31d6d', a)] })).to.deep.equal([
      'prod',
      'prod-59a31d6d',
      'prod-59a31d6d-6dd90a8f',
    ])
  })

  it('D17 moves with a directory that moved in the repository', () => {
    expect(names([root], { holders: [holds('prod', a)] })).to.deep.equal(['prod'])
  })

  it('D17 is kept free of what another repository calls so', () => {
    const other = 'https://git.example.com/team/shop'
    expect(names([root], { holders: [holds('prod', root, other)] })).to.deep.equal(['prod-f1af73bb'])
    expect(names([root], { holders: [{ environment: 'prod', source: other }] })).to.deep.equal([
      'prod-f1af73bb',
    ])
    expect(names([root], { holders: [{ environment: 'prod', source: other }, older()] })).to.deep.equal([
      'prod',
    ])
    expect(names([root], { holders: [holds('stage', root, other)] })).to.deep.equal(['prod'])
  })

  it('D17 is another one for the same directory of another repository', () => {
    const shop = { source: 'team/shop', address: 'https://git.example.com/team/shop' }
    const taken = [holds('prod', root, 'team/third')]
    const [ours] = names([root], { holders: taken })
    const [theirs] = names([root], { holders: taken, repository: shop })
    expect(ours).not.to.equal(theirs)
  })
})

describe('an environment in words', () => {
  it('D17 is its directory and its repository, with the address where that is more than the name', () => {
    const prod = { ...infra, environment: 'prod', directory: 'environments/prod' }
    expect(environmentInWords(prod)).to.equal(
      'environments/prod of team/infra (https://git.example.com/team/infra)',
    )
    const local = { ...prod, source: 'file:///srv/m', address: 'file:///srv/m' }
    expect(environmentInWords(local)).to.equal('environments/prod of file:///srv/m')
  })
})
