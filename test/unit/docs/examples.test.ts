import { expect } from 'chai'
import { exampleProblems } from '../spec/example.ts'

describe('examples of documents', () => {
  for (const [scenario, document] of [
    ['routes', 'docs/ingress.md'],
    ['shared-files', 'docs/ingress.md'],
    ['ticket-deployment', 'docs/deployments.md'],
    ['canary', 'docs/deployments.md'],
    ['per-site', 'docs/manifests.md'],
  ] as const)
    it(`nothing is wrong with fixtures/${scenario}, which ${document} shows`, async () => {
      expect(await exampleProblems(scenario, { remoteVolumes: ['10.0.0.9'] })).to.deep.equal([])
    })
})
