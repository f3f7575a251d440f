import { posix } from 'node:path'
import type { Image } from '../image/images.ts'
import { programOf } from '../shell/shell.ts'
import type { Program } from './process.ts'

/** Returns the program of a command in an image: its own, or one that every image has. */
export function programNamed({ behaves }: Image, command: readonly string[]): Program | undefined {
  const [name = '', ...args] = command
  return behaves.programs?.[posix.basename(name)]?.(args) ?? programOf(command)
}
