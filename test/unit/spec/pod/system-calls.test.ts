import { expect } from 'chai'
import { seccompProfile } from '../../../../lib/state/application/container/system-calls/filter.ts'
import { app, builtPod, pod } from './built-pod.ts'

const [retain, remove] = ['os/linux/seccomp-retain-set', 'os/linux/seccomp-remove-set']

/** A pod of one app with one set of system calls, and what more is said of the app. */
function withSet(name: string, value: object, more: object = {}, context: object = {}) {
  const isolators = [{ name, value }]
  return builtPod(pod({ apps: [app({}, { isolators, ...more })] }), context)
}

/** What a profile does about a system call: the rules that name it, or the one for all others. */
function rulesFor(call: string, { apps }: ReturnType<typeof withSet>): readonly object[] {
  const [container] = apps
  if (container?.systemCalls === undefined) throw new Error('there is no filter')
  const { defaultAction, defaultErrnoRet, syscalls } = seccompProfile(container.systemCalls, container)
  const named = syscalls.filter(({ names }) => names.includes(call)).map(({ names: _, ...rule }) => rule)
  return named.length > 0 ? named : [{ others: defaultAction, defaultErrnoRet }]
}

const allowed = [{ action: 'SCMP_ACT_ALLOW' }]
const killed = [{ action: 'SCMP_ACT_KILL_PROCESS' }]

describe('C40 sets of system calls', () => {
  it('remove calls from those that engines permit: they end with the error, or end the program', () => {
    const built = withSet(remove, { set: ['reboot', 'chmod'], errno: 'ENOTSUP' })
    expect(built.problems).to.deep.equal([])
    expect(rulesFor('chmod', built)).to.deep.equal([{ action: 'SCMP_ACT_ERRNO', errnoRet: 95 }])
    expect(rulesFor('chown', built)).to.deep.equal(allowed)
    expect(rulesFor('keyctl', built)).to.deep.equal([{ others: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1 }])
    for (const none of [{}, { errno: '' }])
      expect(rulesFor('chmod', withSet(remove, { set: ['chmod'], ...none }))).to.deep.equal(killed)
  })

  it('retain calls, those that it takes to start a program, and no others', () => {
    const built = withSet(retain, { set: ['chmod'] })
    expect(rulesFor('chmod', built)).to.deep.equal(allowed)
    expect(rulesFor('execve', built)).to.deep.equal(allowed)
    expect(rulesFor('chown', built)).to.deep.equal([
      { others: 'SCMP_ACT_KILL_PROCESS', defaultErrnoRet: undefined },
    ])
    const mild = withSet(retain, { set: ['chmod'], errno: 'EPERM' })
    expect(rulesFor('chown', mild)).to.deep.equal([{ action: 'SCMP_ACT_ERRNO', errnoRet: 1 }])
  })

  it('keep calls to the arguments that engines permit', () => {
    const built = withSet(retain, { set: ['clone', 'socket'] })
    expect(rulesFor('socket', built)).to.deep.equal([
      { action: 'SCMP_ACT_ALLOW', args: [{ index: 0, value: 40, op: 'SCMP_CMP_NE' }] },
    ])
    expect(rulesFor('clone3', built), 'programs fall back on clone').to.deep.equal([
      { action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
    ])
    expect(rulesFor('clone3', withSet(remove, { set: ['clone3'] }))).to.deep.equal(killed)
  })

  it('permit what a capability of the app permits', () => {
    const capabilities = { name: 'os/linux/capabilities-retain-set', value: { set: ['CAP_SYS_TIME'] } }
    const isolators = [capabilities, { name: retain, value: { set: ['settimeofday'] } }]
    const built = builtPod(pod({ apps: [app({}, { isolators })] }), {
      policy: { capabilities: ['SYS_TIME'] },
    })
    expect(built.problems).to.deep.equal([])
    expect(rulesFor('settimeofday', built)).to.deep.equal(allowed)
  })

  it('G23 with calls that engines permit nobody are for the operator to allow', () => {
    const { problems } = withSet(retain, { set: ['keyctl', 'settimeofday', 'read'] })
    expect(problems).to.deep.equal([
      '/apps/0/app/isolators makes the system calls keyctl, settimeofday, which engines permit no container with its capabilities; the operator allows that by "policy: {securityOptions: ["seccomp=unconfined"]}" in tallyman.yaml (policy-violation)',
    ])
    const policy = { securityOptions: ['seccomp=unconfined'] }
    expect(rulesFor('keyctl', withSet(retain, { set: ['keyctl'] }, {}, { policy }))).to.deep.equal(allowed)
  })

  it('have names for sets: all calls need the policy, and none removes nothing', () => {
    const { problems } = withSet(retain, { set: ['read', '@appc.io/all'] })
    expect(problems[0]).to.include('sets seccomp=unconfined; the operator allows that by')
    const policy = { securityOptions: ['seccomp=unconfined'] }
    const unfiltered = withSet(retain, { set: ['@appc.io/all'] }, {}, { policy })
    expect(unfiltered.apps[0]?.securityOpt).to.deep.equal(['seccomp=unconfined'])
    expect(unfiltered.apps[0]?.systemCalls).to.equal(undefined)
    const usual = withSet(remove, { set: ['read', '@appc.io/empty'] })
    expect(usual.problems).to.deep.equal([])
    expect(usual.apps[0]?.systemCalls).to.equal(undefined)
    const whitelist = withSet(retain, { set: ['@docker/default-whitelist'] })
    expect(whitelist.problems).to.deep.equal([])
    expect(rulesFor('chown', whitelist)).to.deep.equal(allowed)
    const blacklist = withSet(remove, { set: ['@rkt/default-blacklist', 'chown'] })
    expect(rulesFor('chown', blacklist)).to.deep.equal(killed)
  })

  it('that nobody here knows, or without which nothing runs, are refused', () => {
    expect(withSet(remove, { set: ['@systemd/mount'] }, {}, { containers: [] }).problems).to.deep.equal([
      '/apps/0/app/isolators name the set of system calls "@systemd/mount"; Tallyman knows @appc.io/all, @appc.io/empty, @docker/default-whitelist, @rkt/default-whitelist, @docker/default-blacklist, @rkt/default-blacklist (pod-unrunnable)',
    ])
    for (const set of [['execve'], ['@appc.io/all']])
      expect(withSet(remove, { set }, {}, { containers: [] }).problems[0], set[0]).to.match(
        /remove the system call \w+, without which/,
      )
    expect(withSet(retain, { set: ['read'], errno: 'EPONIES' }).problems).to.deep.equal([
      '/apps/0/app/isolators/0/value/errno must be the name of an error of Linux; write for example "EPERM" (pod-invalid)',
    ])
  })

  it('lose what is no system call, and say so', () => {
    const { warnings, application } = withSet(retain, { set: ['read', 'getponies'] }, {}, { containers: [] })
    expect(warnings).to.deep.equal([
      '/apps/0/app/isolators/0/value/set/1 "getponies" is no system call, and is left out (pod-changed)',
    ])
    expect(application?.services[0]?.instances[0]?.pod?.isolators).to.deep.equal([
      { app: 'main', isolator: retain, outcome: 'modified', reason: 'getponies is no system call' },
    ])
  })

  it('C13 retain what the shell needs that runs event handlers', () => {
    const eventHandlers = [{ name: 'pre-start', exec: ['/bin/migrate'] }]
    expect(rulesFor('wait4', withSet(retain, { set: ['read'] }, { eventHandlers }))).to.deep.equal(allowed)
    expect(rulesFor('wait4', withSet(retain, { set: ['read'] }))).to.deep.equal([
      { others: 'SCMP_ACT_KILL_PROCESS', defaultErrnoRet: undefined },
    ])
  })
})
