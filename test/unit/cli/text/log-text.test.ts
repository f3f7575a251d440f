import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { answerLine, logLines, showLines } from '../../../../lib/cli/text/log-text.ts'
import type { PassRecord } from '../../../../lib/journal/history/history.ts'

const record: PassRecord = {
  passId: 7,
  environment: 'prod',
  trigger: 'poll',
  startedAtMs: 0,
  endedAtMs: 1_500,
  repeats: 0,
  lastSeenAtMs: 1_500,
  outcome: 'rolled-back',
  planned: { create: 0, replace: 0, start: 0, remove: 0, drift: 0 },
  approvedBy: [],
  digests: [],
  events: [],
  eventCount: 0,
}
const place = { atMs: 1_000, site: 'local', application: 'shop', service: 'web' }

describe('what somebody said', () => {
  it('G25 is one line: when, where, what, who, by which way and why', () => {
    const said = { environment: 'prod', who: 'ann', atMs: 0 } as const
    const lines = [
      answerLine({ ...said, verb: 'suspend', about: 'web', via: 'command', message: 'moving\u001b[2K' }),
      answerLine({ ...said, verb: 'resume', via: 'control' }),
    ]
    const of = { deployment: 'web-everywhere', application: 'web', version: '2' }
    expect(
      printed([answerLine({ ...said, ...of, verb: 'approve', about: 'c033', via: 'control' })], false),
    ).to.match(/approve c033 for web-everywhere 2 by ann/)
    expect(
      printed(
        [answerLine({ ...said, ...of, verb: 'abort', about: 'web-everywhere', via: 'control' })],
        false,
      ),
    ).to.match(/abort web-everywhere 2 by ann/)
    expect(printed(lines, false).replaceAll(/^\S+ \S+/gm, 'TIME')).to.equal(
      'TIME  prod  suspend web by ann (command): moving\\u001b[2K\nTIME  prod  resume by ann (control)\n',
    )
  })
})

describe('what a pass began', () => {
  const planned = { create: 1, replace: 1, start: 0, remove: 0, drift: 0 }
  const approvedBy = [{ who: 'ann', via: 'control', atMs: 0 } as const]
  const entry = { ...record, outcome: 'needs-confirmation', planned, approvedBy } as const
  const texts = (parts: Partial<PassRecord>) =>
    [logLines({ ...entry, ...parts }), showLines({ ...entry, ...parts })].map(lines => printed(lines, false))

  it('G25 is told where it is a part of its plan, with who confirmed that part', () => {
    const begunChanges = [{ application: 'shop', service: 'web' }]
    const [line, shown] = texts({ begun: { changes: 1, of: 2 }, begunChanges })
    expect(line).to.match(/needs-confirmation {2}\+1 -\/\+1 {2}1 of 2 changes begun {2}confirmed by ann/)
    expect(shown).to.include('  began 1 of 2 changes: shop/web\n')
  })

  it('G25 G2 names everybody who confirmed a part of it, each once and people first', () => {
    const begun = { changes: 2, of: 2 }
    const root = { who: 'root', via: 'control', atMs: 0 } as const
    const manifest = { who: 'manifest', via: 'skipConfirmation', atMs: 0 } as const
    const [line] = texts({ begun, approvedBy: [manifest, root, ...approvedBy, root] })
    expect(line).to.include('  confirmed by root, ann, skipConfirmation  (poll)')
    expect(texts({ begun, approvedBy: [manifest] })[0]).to.include('  confirmed by skipConfirmation  (poll)')
  })

  it('G25 needs no word where it is the whole plan, or nothing', () => {
    for (const parts of [{}, { begun: { changes: 2, of: 2 } }])
      expect(texts(parts).join('')).not.to.match(/begun|began/)
    expect(texts({})[0]).not.to.include('ann')
  })
})

describe('what was lost', () => {
  it('D3 G25 is told in the line of the pass that found it', () => {
    const line = printed(logLines({ ...record, losses: ['swarm-made-anew', 'volume-gone'] }), false)
    expect(line).to.include('  its Swarm was made anew, a volume was gone  (poll)')
  })
})

describe('the errors of a pass', () => {
  it('G6 are the first one, and how many there are besides', () => {
    const error = { code: 'pull-failed', message: 'local: web: no such image', hint: 'Push it.' }
    const told = (more?: number) => {
      const entry = { ...record, error: { ...error, ...(more === undefined ? {} : { more }) } }
      return [logLines(entry), showLines(entry)].map(lines =>
        printed(lines, false)
          .split('\n')
          .find(line => line.includes('pull-failed'))
          ?.trim(),
      )
    }
    const first = 'local: web: no such image (pull-failed)'
    expect(told()).to.deep.equal([first, first])
    expect(told(3)).to.deep.equal([`${first}, and 3 more`, `${first}, and 3 more`])
  })

  it('H7 says in a word that hooks failed, although the pass went on', () => {
    const told = (ignoredHooks: number) =>
      printed(logLines({ ...record, outcome: 'applied', ignoredHooks }), false)
    expect(told(1)).to.include('  applied  1 hook failed, which is ignored  ')
    expect(told(2)).to.include('  applied  2 hooks failed, which is ignored  ')
    expect(printed(logLines(record), false)).to.not.include('ignored')
  })

  it('A12 G25 says that something is held, and so not as the commit of the line has it', () => {
    expect(printed(logLines({ ...record, held: 1 }), false)).to.include(
      '  except what is held: 1 application  ',
    )
    expect(printed(logLines(record), false)).to.not.include('held')
  })
})

describe('a pass whole', () => {
  it('D3 G6 says that a site is not in sync where what was applied left a removal that waits', () => {
    const first = (sync: PassRecord['sync']) =>
      printed(showLines({ ...record, outcome: 'applied', ...(sync && { sync }) }), false).split('\n')[0]
    expect(first('OutOfSync')).to.equal('Pass #7 of prod: applied, OutOfSync')
    expect(first('Synced')).to.equal('Pass #7 of prod: applied')
  })

  it('G25 lists the digests that changed, and not those that stayed the same', () => {
    const of = { site: 'local', application: 'shop', service: 'shop' }
    const digests = [
      { ...of, before: ['sha256:a', 'sha256:s'], after: ['sha256:b', 'sha256:s'] },
      { ...of, service: 'same', before: ['sha256:s'], after: ['sha256:s'] },
      { ...of, service: 'new', before: [], after: ['sha256:n'] },
    ]
    expect(printed(showLines({ ...record, digests }), false)).to.include(
      ['Digests:', '  shop: sha256:a → sha256:b', '  shop/new: (none) → sha256:n', ''].join('\n'),
    )
  })

  it('G25 says of a directory what is known: a hash of its files, and when they were changed', () => {
    const revision = {
      ref: 'working tree',
      commit: 'worktree-0123456789ab',
      author: '',
      subject: '',
      time: '2026-01-01T00:00:00.000Z',
    }
    const text = printed(showLines({ ...record, revision }, {}), false)
    expect(text).to.include('worktree-0123456789ab\n')
    expect(text).to.include('\n  2026-01-01T00:00:00.000Z (working tree)\n')
    expect(text).not.to.include('""')
  })

  it('G25 H9 shows how containers failed, what their checks said, and their last lines, harmlessly', () => {
    const lines = showLines({
      ...record,
      postMortems: [
        {
          ...place,
          container: 'prod.web.1.0123abcd',
          exitCode: 137,
          signal: 'SIGKILL',
          oomKilled: true,
          restarts: 2,
          checks: [{ exitCode: 1, output: 'refused' }],
          lines: ['starting', 'bell \u0007'],
        },
        {
          ...place,
          container: 'prod.api.1.0123abcd',
          oomKilled: false,
          restarts: 0,
          checks: [],
          lines: [],
        },
      ],
    })
    expect(printed(lines, false).split('\n').slice(3)).to.deep.equal([
      'Failed: prod.web.1.0123abcd on local',
      '  ended with code 137 (SIGKILL) because it used up its memory after 2 restarts',
      '  health check, code 1: refused',
      '  Its last 2 lines:',
      '    starting',
      '    bell \\u0007',
      '',
      'Failed: prod.api.1.0123abcd on local',
      '  did not end',
      '  It wrote nothing.',
      '',
    ])
  })
})
