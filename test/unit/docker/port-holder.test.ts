import { expect } from 'chai'
import { withPortHolder } from '../../../lib/docker/steps/port-holder.ts'
import { engineAnswering } from './answering.ts'

const { signal } = new AbortController()
const message =
  'driver failed programming external connectivity on endpoint prod.web.1: Bind for 0.0.0.0:8080 failed: port is already allocated'
const labels = {
  'tallyman.environment': 'prod',
  'tallyman.source': 'ops/manifests',
  'tallyman.directory': 'environments/prod',
  'tallyman.application': 'shop',
  'tallyman.service': 'web',
}

describe('a host port that is taken', () => {
  const said = async (...listed: readonly object[]) =>
    (await withPortHolder(engineAnswering({ '/containers/json': listed }), { status: 500, message }, signal))
      .message

  it('G10 is told with the application that has it', async () => {
    const other = { Names: ['/x'], Labels: {}, Ports: [{ PublicPort: 18080 }] }
    const holder = {
      Names: ['/prod.web.1.0123abcd'],
      Labels: labels,
      Ports: [{ PrivatePort: 80 }, { PublicPort: 8080 }],
    }
    expect(await said(other, holder)).to.equal(
      `${message}; shop/web in environments/prod of ops/manifests (the container prod.web.1.0123abcd) publishes 8080`,
    )
  })

  it('G10 is told with a container that is not of tallyman, or as the engine says it', async () => {
    const foreign = { Names: ['/proxy'], Labels: {}, Ports: [{ PublicPort: 8080 }] }
    expect(await said(foreign)).to.equal(`${message}; the container proxy publishes 8080`)
    expect(await said()).to.equal(message)
  })
})
