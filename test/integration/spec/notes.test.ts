import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene } from '../../scenes/scene.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { fixtureFiles } from '../../support/files/fixture.ts'
import { type ImageOptions, pushImage, serves } from '../../support/images/images.ts'
import { testMachine, uniqueName } from '../../support/suite/env.ts'

const notes: ImageOptions = {
  cmd: serves(8000),
  files: {
    '/www/healthz': 'ok',
    '/www/ready': 'ok',
    '/bin/notes': '#!/bin/sh\n[ -n "$DATABASE_URL" ]\n',
  },
}

describe('fixtures/notes on a real engine', () => {
  it('A44 A45 A46 G15 G16 C50 runs sandboxes, init containers, files, secrets and probes as it says, and then has nothing to do', async () => {
    await using secrets = await secretFiles({ 'notes/db/password': 'hunter2', 'notes/tls/key': 'secret key' })
    const { registry } = await testMachine()
    const sandbox = await pushImage(registry, uniqueName(), 'stable')
    await using scene = await createScene({
      config: { secrets: { directory: secrets.path }, sandbox: { image: sandbox.reference } },
    })
    await scene.push('notes', '1.0.0', notes)
    await scene.push('shipper', '3.2')
    await scene.push('postgres', '17.2', { files: { '/bin/pg_isready': '#!/bin/sh\nexit 0\n' } })
    const files = Object.entries(await fixtureFiles('notes')).map(([path, text]) => [
      path.replace('environments/prod/', `environments/${scene.environment}/`),
      text,
    ])
    await scene.repository.commit(Object.fromEntries(files))
    const applied = await scene.tallyman.run('apply', '--yes')
    expectCode(applied, 0)
    expect(applied.stdout + applied.stderr).not.to.match(/hunter2|secret key/)

    const containers = await scene.containers()
    const told = containers.map(({ labels, state }) =>
      [
        labels['tallyman.service'],
        labels['tallyman.instance'],
        labels['tallyman.role'],
        labels['tallyman.container'],
        state,
      ].join(' '),
    )
    expect(told.sort()).to.deep.equal([
      'db 1 app postgres running',
      'web 1 app notes running',
      'web 1 app shipper running',
      'web 1 init migrate exited',
      'web 1 sandbox sandbox running',
      'web 2 app notes running',
      'web 2 app shipper running',
      'web 2 init migrate exited',
      'web 2 sandbox sandbox running',
    ])
    const { id = '' } = containers.find(({ labels }) => labels['tallyman.container'] === 'notes') ?? {}
    const archive = (path: string) =>
      engineCall(scene.dockerSocket, 'GET', `/containers/${id}/archive?path=${path}`)
    expect((await archive('/etc/notes/notes.conf')).body.toString()).to.include('theme = plain')
    expect((await archive('/etc/ssl/notes.pem')).body.toString()).to.include('secret key')
    const { Config } = Object(await engineGet(scene.dockerSocket, `/containers/${id}/json`))
    expect(Config.Env).to.include('DATABASE_URL=postgres://notes:hunter2@db/notes')

    const planned = await scene.tallyman.run('plan', '--detailed-exitcode')
    expectCode(planned, 0)

    await secrets.write({ 'notes/tls/key': 'another key' })
    const changed = await scene.tallyman.run('plan', '--detailed-exitcode')
    expectCode(changed, 2)
    expect(changed.stdout).not.to.match(/secret key|another key/)
  })
})

/** A directory of secrets that is gone at the end. */
async function secretFiles(files: Readonly<Record<string, string>>) {
  const path = await mkdtemp(join(tmpdir(), 'tallyman-secrets-'))
  const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(path, name)), { recursive: true })
      await writeFile(join(path, name), text, { mode: 0o600 })
    }
  }
  await write(files)
  return { path, write, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
