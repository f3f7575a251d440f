import { createRequire } from 'node:module'
import { expect } from 'chai'
import { loadDockerode } from '../../../../lib/docker/api/connection/load-dockerode.ts'
import { runningSocket } from '../../../support/suite/env.ts'

describe('dockerode, loaded without its ways to speak SSH and gRPC', () => {
  const Docker = loadDockerode()

  it('asks an engine', async () => {
    const docker = new Docker({ socketPath: runningSocket() })
    expect(String(await docker.ping())).to.equal('OK')
  })

  it('leaves nothing in the place of what was not loaded', () => {
    const modem = createRequire(createRequire(import.meta.url).resolve('dockerode')).resolve('docker-modem')
    const ssh: unknown = createRequire(modem)('./ssh.js')
    expect(String(ssh)).to.include("conn.exec('docker system dial-stdio'")
  })

  it('loads the real SSH when that is asked for', async () => {
    const docker = new Docker({ protocol: 'ssh', socketPath: '/nowhere', port: 1, username: 'nobody' })
    const failure: unknown = await docker.ping().catch((error: unknown) => error)
    expect(failure).to.include({ code: 'ECONNREFUSED' })
  })
})
