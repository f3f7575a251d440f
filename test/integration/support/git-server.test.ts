import { expect } from 'chai'
import { git } from '../../support/git/git.ts'
import { startGitServer } from '../../support/git/git-server.ts'
import { createRepository } from '../../support/git/repository.ts'
import { httpCall } from '../../support/network/http-call.ts'

describe('the test git server', () => {
  it('serves commits, branches and tags over protocol 2', async () => {
    await using server = await startGitServer()
    await using repository = await createRepository(server)
    const first = await repository.commit({ 'a/b.txt': 'one\n' }, 'First')
    await repository.tag('v1')
    await repository.branch('next')
    const second = await repository.commit({ 'a/b.txt': null, 'c.txt': 'two\n' })

    const refs = await git(repository.path, ['-c', 'protocol.version=2', 'ls-remote', repository.url])

    expect(refs.split('\n')).to.deep.equal([
      `${first}\tHEAD`,
      `${first}\trefs/heads/main`,
      `${second}\trefs/heads/next`,
      `${first}\trefs/tags/v1`,
    ])
    expect(server.requests.map(one => [one.method, one.service])).to.deep.equal([
      ['GET', 'git-upload-pack'],
      ['POST', 'git-upload-pack'],
    ])
  })

  it('takes pushes over HTTP, reverts and force pushes', async () => {
    await using server = await startGitServer()
    await using repository = await createRepository(server)
    const first = await repository.commit({ 'a.txt': 'one\n' })
    const second = await repository.commit({ 'a.txt': 'two\n' })
    await repository.revert(second)
    expect(await git(repository.bare, ['show', 'main:a.txt'])).to.equal('one')

    await repository.forcePush(first)
    expect(await repository.head()).to.equal(first)

    await repository.git('push', '--quiet', repository.url, `${second}:refs/heads/over-http`)
    expect(await repository.head('over-http')).to.equal(second)
  })

  it('asks for the password, and fails, redirects and cuts on demand', async () => {
    await using server = await startGitServer()
    await using repository = await createRepository(server)
    await repository.commit({ 'a.txt': 'one\n' })
    const url = new URL(`${repository.url}/info/refs?service=git-upload-pack`)
    const ask = (auth?: string) =>
      httpCall({
        hostname: url.hostname,
        port: url.port,
        path: url.pathname + url.search,
        auth,
        agent: false,
      })

    server.auth('ada', 'secret')
    expect((await ask()).status).to.equal(401)
    expect((await ask('ada:secret')).status).to.equal(200)
    server.auth()
    server.fail = { status: 503 }
    expect((await ask()).status).to.equal(503)
    server.fail = { redirectTo: 'http://127.0.0.2:1' }
    expect((await ask()).headers.location).to.equal(`http://127.0.0.2:1${url.pathname}${url.search}`)
    server.fail = { truncateAfterBytes: 10 }
    expect(await ask().catch((error: Error) => error.message)).to.equal('aborted')
    server.fail = undefined
    expect((await ask()).status).to.equal(200)
  })
})
