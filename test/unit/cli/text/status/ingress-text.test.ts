import { expect } from 'chai'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { ingressLines } from '../../../../../lib/cli/text/status/ingress-text.ts'

describe('the ingress in the status', () => {
  it('G13 P12 tells what is drained, what says nothing, and when each certificate expires', () => {
    const held = { issuer: 'R11', expires: '2026-04-01T00:00:00.000Z' }
    const lines = ingressLines([
      {
        site: 'store-1',
        isDraining: true,
        certificates: [
          { state: 'valid', names: ['a.example', 'b.example', 'c.example'], ...held, daysLeft: 60 },
          { state: 'due', names: ['due.example'], ...held, daysLeft: 1 },
          { state: 'valid', names: ['brief.example'], ...held, daysLeft: 0 },
          { state: 'expired', names: ['late.example'], ...held, daysLeft: -1 },
          { state: 'missing', names: ['new.example'] },
          { state: 'unknown', names: ['own.example'] },
        ],
      },
      {
        site: 'store-2',
        error: { code: 'ingress-unreachable', message: 'store-2: no ingress runs', hint: '' },
      },
    ])
    expect(printed(lines, false).trimEnd().split('\n')).to.deep.equal([
      '  drained store-1: load balancers are told to send no more requests there',
      '  ingress: store-2: no ingress runs (ingress-unreachable)',
      '  certificate           site     issuer  expires',
      '  a.example and 2 more  store-1  R11     2026-04-01  60 days left',
      '  due.example           store-1  R11     2026-04-01  1 day left: it should be renewed by now',
      '  brief.example         store-1  R11     2026-04-01  less than a day left',
      '  late.example          store-1  R11     2026-04-01  expired',
      '  new.example           store-1          there is none yet',
      "  own.example           store-1          not known: the operator's file cannot be read",
    ])
  })

  it('G13 tells when the certificates end that an engine is reached with', () => {
    const held = { names: [], issuer: 'Ours', expires: '2026-04-01T00:00:00.000Z' }
    const lines = ingressLines(
      [],
      [
        { site: 'store-1', role: 'ours', state: 'due', ...held, daysLeft: 9 },
        { site: 'store-1', role: 'authority', state: 'unknown', names: [] },
      ],
    )
    expect(printed(lines, false).trimEnd().split('\n')).to.deep.equal([
      '  certificate                     site     issuer  expires',
      '  ours, for the engine            store-1  Ours    2026-04-01  9 days left: it should be renewed by now',
      "  of the authority of the engine  store-1          not known: the operator's file cannot be read",
    ])
  })

  it('G13 P12 tells of one that does not tell its metrics what is known of it', () => {
    const lines = ingressLines([
      {
        site: 'store-1',
        isDraining: true,
        certificates: [{ state: 'missing', names: ['new.example'] }],
        error: { code: 'ingress-unreachable', message: 'store-1: no answer in time', hint: '' },
      },
    ])
    expect(printed(lines, false).trimEnd().split('\n')).to.deep.equal([
      '  drained store-1: load balancers are told to send no more requests there',
      '  ingress: store-1: no answer in time (ingress-unreachable)',
      '  certificate  site     issuer  expires',
      '  new.example  store-1          there is none yet',
    ])
  })

  it('G13 says nothing where there is no ingress', () => {
    expect(ingressLines([])).to.deep.equal([])
    expect(ingressLines([{ site: 'local', isDraining: false, certificates: [] }])).to.deep.equal([])
  })
})
