import { expect } from 'chai'
import { exampleProblems } from '../spec/example.ts'

describe('examples of documents', () => {
  for (const scenario of ['routes', 'shared-files'])
    it(`nothing is wrong with fixtures/${scenario}, which docs/ingress.md shows`, async () => {
      expect(await exampleProblems(scenario, { remoteVolumes: ['10.0.0.9'] })).to.deep.equal([])
    })
})
