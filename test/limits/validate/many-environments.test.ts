import { expect } from 'chai'
import { chooseEnvironment } from '../../../lib/manifest/environments.ts'
import { namesakes } from '../../../lib/validate/namesakes.ts'
import { growth, mostInProportion } from '../../support/measure/growth.ts'

/** Environments in directories of their own, all of which have this name. */
const placesOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({ name, directory: `${index}/environments/${name}` }))

describe('very many environments', () => {
  it('G24 take no longer each to be told as namesakes', async () => {
    const tell = (count: number) => namesakes(placesOf(count, 'prod'), undefined)
    expect(await growth(tell, 3_000)).to.be.below(mostInProportion)
    expect(tell(30_000).warnings).to.have.lengthOf(29_999)
  })

  it('are told from the first of the same name, or else from the first whose name differs in case', () => {
    const places = ['prod', 'Prod', 'PROD', 'Prod'].map((name, index) => ({
      name,
      directory: `${index}/${name}`,
    }))
    expect(namesakes(places, undefined).warnings.map(({ message }) => message)).to.deep.equal([
      'is another environment than 0/prod/manifest.json: the names differ only in upper and lower case',
      'is another environment than 0/prod/manifest.json: the names differ only in upper and lower case',
      'is another environment of the name Prod, which 1/Prod/manifest.json has too',
    ])
  })

  it('G24 take no longer each to be named where nobody says which is meant', async () => {
    // An array of many more is memory of its own, which takes longer to get than to fill where pages are dear.
    const all = placesOf(3_000, 'prod')
    const choose = (count: number) => {
      expect(() => chooseEnvironment(all.slice(0, count), undefined, [])).to.throw(/has several environments/)
    }
    expect(await growth(choose, 300)).to.be.below(mostInProportion)
  })
})
