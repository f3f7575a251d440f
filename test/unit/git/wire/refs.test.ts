import { expect } from 'chai'
import { introductionOf, listCommand, refsIn } from '../../../../lib/git/wire/refs.ts'

const [main, tag, commit] = ['a', 'b', 'c'].map(digit => digit.repeat(40))

describe('refs as a git server writes them', () => {
  it('G19 knows a server of protocol 2 with and without the line that names the service', () => {
    const lines = ['version 2', 'agent=git/2.47.3', 'ls-refs=unborn', 'object-format=sha1']
    expect(introductionOf(lines)).to.deep.equal({ protocol: 2, format: 'sha1' })
    expect(introductionOf(['# service=git-upload-pack', ...lines])).to.deep.equal({
      protocol: 2,
      format: 'sha1',
    })
  })

  it('G19 takes the names of objects for SHA-1 unless the server says otherwise', () => {
    expect(introductionOf(['version 2'])).to.deep.equal({ protocol: 2, format: 'sha1' })
    expect(introductionOf(['version 2', 'object-format=sha256'])).to.deep.equal({
      protocol: 2,
      format: 'sha256',
    })
  })

  it('G19 reads all refs of a server of protocol 0, what HEAD stands for and what tags stand for', () => {
    const capabilities = 'multi_ack symref=HEAD:refs/heads/main object-format=sha1 agent=git/2.20'
    const lines = [
      '# service=git-upload-pack',
      `${main} HEAD\0${capabilities}`,
      `${main} refs/heads/main`,
      `${tag} refs/tags/v1`,
      `${commit} refs/tags/v1^{}`,
    ]
    expect(introductionOf(lines)).to.deep.equal({
      protocol: 0,
      format: 'sha1',
      refs: [
        { name: 'HEAD', oid: main, target: 'refs/heads/main' },
        { name: 'refs/heads/main', oid: main },
        { name: 'refs/tags/v1', oid: tag, peeled: commit },
      ],
      capabilities: ['multi_ack', 'symref=HEAD:refs/heads/main', 'object-format=sha1', 'agent=git/2.20'],
    })
    expect(introductionOf([lines[0] ?? '', 'version 1', ...lines.slice(1)])).to.deep.equal(
      introductionOf(lines),
    )
  })

  it('G19 finds no refs where there are none', () => {
    const nothing = { protocol: 0, format: 'sha1', refs: [], capabilities: [] }
    expect(introductionOf(['# service=git-upload-pack'])).to.deep.equal(nothing)
    const zero = '0'.repeat(40)
    expect(
      introductionOf(['# service=git-upload-pack', `${zero} capabilities^{}\0agent=git/2.47`]),
    ).to.deep.equal({ ...nothing, capabilities: ['agent=git/2.47'] })
    expect(refsIn([])).to.deep.equal([])
  })

  it('G19 reads the refs that were asked for', () => {
    expect(
      refsIn([`${main} HEAD symref-target:refs/heads/main`, `${tag} refs/tags/v1 peeled:${commit}`]),
    ).to.deep.equal([
      { name: 'HEAD', oid: main, target: 'refs/heads/main' },
      { name: 'refs/tags/v1', oid: tag, peeled: commit },
    ])
  })

  for (const [what, lines] of [
    ['nothing', []],
    ['something else', ['<html>']],
    ['another service', ['# service=git-receive-pack', `${main} HEAD\0agent=git`]],
    ['a name without an object', ['# service=git-upload-pack', 'refs/heads/main\0agent=git']],
    ['an object that is none', ['# service=git-upload-pack', `${main}0 HEAD\0agent=git`]],
  ] as const)
    it(`G24 takes ${what} for no words of a git server`, () => {
      expect(introductionOf(lines)).to.equal(undefined)
    })

  for (const line of ['', 'HEAD', `${main}`, `unborn HEAD symref-target:x`, `${main} HEAD peeled:0`])
    it(`G24 takes "${line}" for no ref`, () => {
      expect(refsIn([`${main} HEAD`, line])).to.equal(undefined)
    })

  it('asks for the refs below a prefix, for what symbolic ones name and tags stand for', () => {
    expect(listCommand('refs/tags/v1')).to.equal(
      '0014command=ls-refs\n0001000csymrefs\n0009peel\n001cref-prefix refs/tags/v1\n0000',
    )
  })
})
