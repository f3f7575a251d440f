import { expect } from 'chai'
import { otherEngine } from '../../../../../lib/docker/api/connection/engine-version.ts'

describe('which engine it is', () => {
  for (const [version, other] of [
    [{ Components: [{ Name: 'Podman Engine', Version: '4.3.1' }] }, 'Podman Engine 4.3.1'],
    [{ Components: [{ Name: 'Podman Engine' }, { Name: 'Conmon' }] }, 'Podman Engine'],
    [{ ApiVersion: '1.41', Components: [{ Name: 'Engine', Version: '20.10.24+dfsg1' }] }, undefined],
    [{ ApiVersion: '1.43', Components: [{ Name: 'balenaEngine', Version: '20.10.43' }] }, undefined],
    [{ ApiVersion: '1.24' }, undefined],
    [{ Components: null }, undefined],
    [{ Components: [] }, undefined],
  ] as const) {
    it(`is ${other ?? 'one of Docker'} that answers ${JSON.stringify(version)}`, () => {
      expect(otherEngine(version)).to.equal(other)
    })
  }
})
