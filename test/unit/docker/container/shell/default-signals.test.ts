import { expect } from 'chai'
import { defaultSignals } from '../../../../../lib/docker/container/shell/default-signals.ts'
import { needsLoader } from '../../../../../lib/docker/container/shell/elf.ts'

/** The beginning of a program for a processor, by its number in ELF. */
function shellFor(machine: number): Buffer {
  const shell = Buffer.alloc(64)
  shell.write('\x7fELF\x02\x01', 'latin1')
  shell.writeUInt16LE(machine, 18)
  return shell
}

describe('the program that gives signals their usual effect back', () => {
  for (const [name, machine] of [
    ['amd64', 62],
    ['arm64', 183],
  ] as const)
    it(`C13 is for the processor of the shell (${name}), and runs in any file system`, () => {
      const program = defaultSignals(shellFor(machine)) ?? Buffer.alloc(0)
      expect(program.readUInt16LE(18)).to.equal(machine)
      expect(needsLoader(program)).to.equal(false)
      expect(program.readUInt32LE(24), 'begins right behind its headers').to.equal(0x400000 + 176)
      expect(program.readUInt32LE(64 + 32), 'is in memory as a whole').to.equal(program.length)
    })

  it('C13 is left out where there is none for the processor', () => {
    for (const shell of [shellFor(40), shellFor(22), Buffer.from('#!/bin/sh'), Buffer.alloc(0)])
      expect(defaultSignals(shell)).to.equal(undefined)
  })
})
