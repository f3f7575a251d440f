import { expect } from 'chai'
import type { SystemCallFilter } from '../../../../lib/state/application/container/container.ts'
import type { PushedImage } from '../../../support/images/images.ts'
import { type TestSite, testSite } from '../site.ts'

/** What a shell makes besides what it takes to start it. */
const ofShell = ['clone', 'dup2', 'fork', 'geteuid', 'getpgrp', 'ioctl', 'kill', 'vfork', 'wait4']

describe('docker: filters of system calls', () => {
  let site: TestSite
  let image: PushedImage
  before(async () => {
    site = await testSite()
    image = await site.push()
  })
  after(() => site[Symbol.asyncDispose]())

  let runs = 0
  function said(systemCalls: SystemCallFilter, script: string): Promise<string> {
    runs += 1
    const command = ['sh', '-c', `exec 2>&1; ${script}`]
    return site.outputOf(image, { systemCalls, command }, { suffix: `-${runs}` })
  }

  it('C40 removes calls, which end with the error that is asked for', async () => {
    const calls = ['chmod', 'fchmodat', 'fchmodat2']
    expect(
      await said({ mode: 'remove', calls, errno: 18 }, 'chmod 700 /tmp; echo $?; mkdir /tmp/x; echo $?'),
    ).to.equal('chmod: /tmp: Invalid cross-device link\n1\n0\n')
  })

  it('C40 ends the program that makes a call that was removed without an error', async () => {
    const calls = ['chmod', 'fchmodat', 'fchmodat2']
    expect(await said({ mode: 'remove', calls }, 'chmod 700 /tmp; echo $?')).to.equal(
      'Bad system call\n159\n',
    )
  })

  it('C40 retains calls, and no others but those that it takes to start a program', async () => {
    expect(
      await said({ mode: 'retain', calls: ofShell, errno: 95 }, 'mkdir /tmp/x; echo $?; true; echo $?'),
    ).to.equal("mkdir: can't create directory '/tmp/x': Operation not supported\n1\n0\n")
    expect(await said({ mode: 'retain', calls: ofShell }, 'mkdir /tmp/x; echo $?')).to.equal(
      'Bad system call\n159\n',
    )
  })

  it('C40 G23 permits nothing that the engine permits nobody, whatever is removed', async () => {
    const calls = ['mkdir']
    expect(
      await said(
        { mode: 'remove', calls, errno: 95 },
        'unshare -n true; unshare -U true; mount -t proc x /tmp',
      ),
    ).to.equal(
      [
        'unshare: unshare(0x40000000): Operation not permitted',
        'unshare: unshare(0x10000000): Operation not permitted',
        'mount: permission denied (are you root?)\n',
      ].join('\n'),
    )
  })
})
