import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createScene, idsOf, service } from '../../scenes/scene.ts'
import { startGitServer } from '../../support/git/git-server.ts'
import { startGithubApi, tokenFor } from '../../support/git/github-api.ts'

describe('a repository that a GitHub App may read', () => {
  it('G4 G13 G16 is followed with tokens that are renewed before they end and told nowhere, until the app is suspended, and after that', async () => {
    await using server = await startGitServer()
    await using api = await startGithubApi()
    const githubApp = { appId: 1234, installationId: 42, privateKeyFile: 'app.pem', apiUrl: api.url }
    await using scene = await createScene({
      server,
      config: (_, { url }) => ({ repository: { url, auth: { githubApp } } }),
    })
    const { tallyman } = scene
    await writeFile(join(tallyman.directory, 'app.pem'), api.pem, { mode: 0o600 })
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    // The git server takes the newest one alone; the first would end soon.
    api.answer = () => {
      const token = `canary-${api.asked.length}`
      server.auth('x-access-token', token)
      return tokenFor(token, api.asked.length === 1 ? 9 : 60)
    }

    const daemon = await tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const polls = server.requests.length
    await daemon.until('it polls', () => server.requests.length > polls)
    const genuine = 'POST /api/v3/app/installations/42/access_tokens by 1234 for 9 min: genuine'
    expect(api.asked).to.deep.equal([genuine, genuine])
    expect(tokensIn(server.requests)).to.deep.equal(['canary-1', 'canary-2'])
    expect(daemon.said().stderr).to.not.include('git-auth-failed')
    const before = idsOf(await scene.containers())

    const granted = api.answer
    api.answer = () => ({ status: 403, body: { message: 'This installation has been suspended' } })
    server.auth('x-access-token', 'of nobody')
    const second = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await daemon.until('it says so', seen =>
      seen.errors.some(({ code, message }) => code === 'git-auth-failed' && message.includes('suspended')),
    )
    expect(idsOf(await scene.containers())).to.deep.equal(before)

    api.answer = granted
    await daemon.until('it goes on', seen => seen.revision?.commit === second && seen.sync === 'Synced')
    expect(idsOf(await scene.containers())).to.not.deep.equal(before)
    const told = await Promise.all([['status'], ['log'], ['show', '1']].map(args => tallyman.run(...args)))
    const words = [daemon.said(), ...told].map(({ stdout, stderr }) => stdout + stderr).join('\n')
    expect(words)
      .to.include('suspended')
      .and.to.not.match(/canary|PRIVATE KEY/)
  })
})

/** The tokens that requests bore, in the order of their first use. */
function tokensIn(requests: readonly { readonly authorization: string | undefined }[]): readonly string[] {
  const tokens = requests.map(({ authorization = '' }) =>
    Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().replace('x-access-token:', ''),
  )
  return [...new Set(tokens)]
}
