import { chmod, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { git } from '../../support/git/git.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'

describe('the test repository', () => {
  const messages = [
    'Plain',
    'Ein Übergang: a, b\n\nand why.\n\nTwice.',
    '#4 # no comment',
    '- item\n  - item',
  ]
  for (const message of messages)
    it(`makes the commit that git makes, whose message is ${JSON.stringify(message)}`, async () => {
      await using repository = await createRepository()
      await repository.commit(files)
      await expectOfGit(repository, 'Change the manifests')

      await symlink('../elsewhere', join(repository.path, 'a/link'))
      await mkdir(join(repository.path, 'empty/directory'), { recursive: true })
      await chmod(join(repository.path, 'a/b/run'), 0o755)
      await repository.commit({ 'a/b/c.txt': null, 'd.txt': '' }, message, { author: 'Bo <bo@example.com>' })
      await expectOfGit(repository, message)
    })

  for (const message of ['Ends in spaces  ', '\nBegins late', 'Two\n\n\nempty lines', 'Ends late\n'])
    it(`leaves to git what it changes in the message ${JSON.stringify(message)}`, async () => {
      await using repository = await createRepository()
      await repository.commit(files, message)
      await expectOfGit(repository, message)
    })

  it('leaves to git what only git knows', async () => {
    await using repository = await createRepository()
    await repository.commit({ ...files, 'a/.gitignore': '*.log\n', 'a/ignored.log': 'x' }, 'Plain')
    await expectOfGit(repository, 'Plain')
    expect(await repository.git('ls-files')).not.to.contain('ignored.log')
    await repository.git('rm', '--quiet', 'a/.gitignore', 'a/b/run')
    await repository.commit({ 'd.txt': null }, 'Plain')
    await expectOfGit(repository, 'Plain')
  })

  it('leads to the same commits with branches, tags and reverts between', async () => {
    await using repository = await createRepository()
    const first = await repository.commit(files)
    await repository.branch('next')
    const second = await repository.commit({ 'a.txt': null, 'e/f': 'f' })
    await repository.tag('v1', 'A version')
    await repository.revert(second)
    await repository.commit({ 'e/f': 'g' })
    expect(await repository.git('log', '--format=%s', 'next')).to.equal(
      'Change the manifests\nRevert "Change the manifests"\nChange the manifests\nChange the manifests',
    )
    await repository.branch('main')
    expect(await repository.head('main')).to.equal(first)
    expect(await repository.git('status', '--porcelain')).to.equal('')
    expect(await git(repository.bare, ['diff', '--stat', 'next~2', 'v1'])).to.equal('')
  })
})

const files = {
  'a.txt': 'one\n',
  'a/b/c.txt': 'two\n',
  'a/b/run': '#!/bin/sh\n',
  'a-b/c': 'three\n',
  'ä/ö': 'four\n',
  a0: 'five\r\n',
}

/** Checks that git finds nothing to add, and makes the same commit of the same files. */
async function expectOfGit(repository: Repository, message: string): Promise<void> {
  const { path, bare } = repository
  const commit = await git(bare, ['rev-parse', 'main'])
  expect(await git(path, ['status', '--porcelain'])).to.equal('')
  expect(await git(path, ['log', '-1', '--format=%H'])).to.equal(commit)
  const who = (await git(path, ['log', '-1', '--format=%an%n%ae%n%at'])).split('\n')
  const [name = '', email = '', at = ''] = who
  await git(path, ['add', '--all'])
  await git(path, ['commit', '--quiet', '--amend', '--allow-empty', '-m', message], {
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: `${at} +0000`,
  })
  expect(await git(path, ['rev-parse', 'HEAD'])).to.equal(commit)
  for (const one of [path, bare]) expect(await git(one, ['fsck', '--strict', '--full'])).to.equal('')
}
