/**
 * Returns a program that gives SIGINT and SIGQUIT their usual effect back, and becomes the program that its arguments
 * name. Undefined if the shell that was given is for another processor than amd64 or arm64.
 *
 * A shell without a terminal starts whatever runs beside it with both signals ignored (POSIX, 2.11), and a program that
 * begins like that keeps them ignored. No shell and no program of a busybox can undo that, and a container may have no
 * other program. So this one is made here: two system calls and an `execve`, as machine code in an ELF file.
 *
 * @param shell a program for the processor on which this one has to run
 */
export function defaultSignals(shell: Buffer): Buffer | undefined {
  const machine = shell.length < 20 ? undefined : shell.readUInt16LE(18)
  const code = machines.find(one => one.machine === machine)?.code
  if (machine === undefined || code === undefined) return undefined
  const length = codeAt + code.length
  return Buffer.concat([
    elfHeader(machine),
    programHeader({ type: load, flags: readable | executable, length }),
    programHeader({ type: stack, flags: readable | writable, length: 0 }),
    code,
  ])
}

/** What a system call needs to know of a signal with its usual effect: zeros. */
const usualAction = '00'.repeat(32)

const amd64 = [
  '48 8d 35 3f 00 00 00', //    lea  action(%rip), %rsi
  '31 d2', //                   xor  %edx, %edx               the former action is not asked for
  '41 ba 08 00 00 00', //       mov  $8, %r10d                bytes of a set of signals
  'bf 02 00 00 00', //          mov  $2, %edi                 SIGINT
  'b8 0d 00 00 00', // next:    mov  $13, %eax                rt_sigaction
  '0f 05', //                   syscall
  'ff c7', //                   inc  %edi                     SIGQUIT is 3
  '83 ff 04', //                cmp  $4, %edi
  '75 f2', //                   jne  next
  '48 8b 04 24', //             mov  (%rsp), %rax             the number of arguments
  '48 8d 74 24 10', //          lea  16(%rsp), %rsi           the second argument and those after it
  '48 8d 54 c4 10', //          lea  16(%rsp,%rax,8), %rdx    the environment
  '48 8b 3e', //                mov  (%rsi), %rdi             the program
  'b8 3b 00 00 00', //          mov  $59, %eax                execve
  '0f 05', //                   syscall
  'bf 7e 00 00 00', //          mov  $126, %edi               it cannot be run
  'b8 e7 00 00 00', //          mov  $231, %eax               exit_group
  '0f 05', //                   syscall
  usualAction, //      action:
]

const arm64 = [
  '61 02 00 10', //          adr  x1, action
  '02 00 80 d2', //          mov  x2, #0                      the former action is not asked for
  '03 01 80 d2', //          mov  x3, #8                      bytes of a set of signals
  '49 00 80 d2', //          mov  x9, #2                      SIGINT
  'e0 03 09 aa', // next:    mov  x0, x9
  'c8 10 80 d2', //          mov  x8, #134                    rt_sigaction
  '01 00 00 d4', //          svc  #0
  '29 05 00 91', //          add  x9, x9, #1                  SIGQUIT is 3
  '3f 11 00 f1', //          cmp  x9, #4
  '61 ff ff 54', //          b.ne next
  'e9 03 40 f9', //          ldr  x9, [sp]                    the number of arguments
  'e1 43 00 91', //          add  x1, sp, #16                 the second argument and those after it
  '22 0c 09 8b', //          add  x2, x1, x9, lsl #3          the environment
  '20 00 40 f9', //          ldr  x0, [x1]                    the program
  'a8 1b 80 d2', //          mov  x8, #221                    execve
  '01 00 00 d4', //          svc  #0
  'c0 0f 80 d2', //          mov  x0, #126                    it cannot be run
  'c8 0b 80 d2', //          mov  x8, #94                     exit_group
  '01 00 00 d4', //          svc  #0
  usualAction, //   action:
]

const machines = [
  { machine: 62, code: bytes(amd64) },
  { machine: 183, code: bytes(arm64) },
]

function bytes(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join('').replaceAll(' ', ''), 'hex')
}

const [elfSize, programSize] = [64, 56]
const codeAt = elfSize + 2 * programSize
/** Where the file is in memory: at a whole page, however large pages are. */
const origin = 0x400000
const [load, stack] = [1, 0x6474e551]
const [executable, writable, readable] = [1, 2, 4]

/** The header of a program of 64 bits, with two headers of its parts behind it. */
function elfHeader(machine: number): Buffer {
  const header = Buffer.alloc(elfSize)
  header.write('\x7fELF\x02\x01\x01', 'latin1')
  header.writeUInt16LE(2, 16)
  header.writeUInt16LE(machine, 18)
  header.writeUInt32LE(1, 20)
  header.writeUInt32LE(origin + codeAt, 24)
  header.writeUInt32LE(elfSize, 32)
  header.writeUInt16LE(elfSize, 52)
  header.writeUInt16LE(programSize, 54)
  header.writeUInt16LE(2, 56)
  return header
}

/** A part of the file that is in memory from its beginning on, or, with no length, how the stack is. */
function programHeader({ type, flags, length }: Record<'type' | 'flags' | 'length', number>): Buffer {
  const header = Buffer.alloc(programSize)
  header.writeUInt32LE(type, 0)
  header.writeUInt32LE(flags, 4)
  if (length === 0) return header
  for (const at of [16, 24]) header.writeUInt32LE(origin, at)
  for (const at of [32, 40]) header.writeUInt32LE(length, at)
  header.writeUInt32LE(0x10000, 48)
  return header
}
