import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loginFor } from '../../../lib/registry/credentials.ts'
import { failureOf } from '../../support/failures/failure-of.ts'

describe('loginFor', () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tallyman-credentials-'))
  })
  after(() => rm(directory, { recursive: true }))

  it('G21 reads the password afresh for each use and cuts the newline at its end', async () => {
    const passwordFile = join(directory, 'rotated')
    const accounts = [{ host: 'registry.example.com', username: 'robot', passwordFile }]
    await writeFile(passwordFile, 'old\n')
    expect(await loginFor(accounts, 'registry.example.com')).to.deep.equal({
      username: 'robot',
      password: 'old',
    })
    await writeFile(passwordFile, ' new \r\n')
    expect(await loginFor(accounts, 'registry.example.com')).to.deep.equal({
      username: 'robot',
      password: ' new ',
    })
  })

  it('E24 finds the account of Docker Hub under any of its names', async () => {
    const passwordFile = join(directory, 'hub')
    await writeFile(passwordFile, 'secret')
    const accounts = [{ host: 'index.docker.io', username: 'robot', passwordFile }]
    expect(await loginFor(accounts, 'docker.io')).to.deep.equal({
      username: 'robot',
      password: 'secret',
    })
  })

  it('E24 has no login for a registry that is not configured, nor for another port', async () => {
    const accounts = [{ host: 'registry.example.com', username: 'robot', passwordFile: '/nonexistent' }]
    expect(await loginFor(accounts, 'registry.example.com:5000')).to.equal(undefined)
  })

  it('G21 names the registry and the file when the password cannot be read', async () => {
    const passwordFile = join(directory, 'missing')
    const failure = await failureOf(
      loginFor([{ host: 'registry.example.com', username: 'robot', passwordFile }], 'registry.example.com'),
    )
    expect(failure.code).to.equal('registry-credentials-unreadable')
    expect(failure.message).to.equal(
      `registries/registry.example.com: the password file ${passwordFile} cannot be read (ENOENT)`,
    )
  })
})
