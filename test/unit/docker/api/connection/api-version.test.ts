import { expect } from 'chai'
import { apiVersion } from '../../../../../lib/docker/api/connection/api-version.ts'

describe('apiVersion', () => {
  it("speaks an older engine's newest version", () => {
    expect(apiVersion('1.41')).to.equal('1.41')
    expect(apiVersion('1.9')).to.equal('1.9')
  })

  it('speaks the newest version known here with a newer engine', () => {
    expect(apiVersion('1.99')).to.equal('1.51')
    expect(apiVersion('2.0')).to.equal('1.51')
  })
})
