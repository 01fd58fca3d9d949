import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

interface Packed {
  readonly path: string
  readonly text?: string
  readonly isStored?: boolean
  readonly isProgram?: boolean
}

/** A zip of these files, written by hand: of the format only what others write too. */
export function zipOf(files: readonly Packed[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let at = 0
  for (const { path, text = '', isStored = false, isProgram = false } of files) {
    const [name, whole] = [Buffer.from(path), Buffer.from(text)]
    const bytes = isStored ? whole : deflateRawSync(whole)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x800, 2)
    common.writeUInt16LE(isStored ? 0 : 8, 4)
    common.writeUInt32LE(crc32(whole), 10)
    common.writeUInt32LE(bytes.length, 14)
    common.writeUInt32LE(whole.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, bytes])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((isProgram ? 0o100755 : 0o100644) * 65_536, 6)
    rest.writeUInt32LE(at, 10)
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, rest, name]))
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, directory, end])
}

/** What of an unpacked program an update looks at. */
export const programFiles = (version: string, { platform = 'any-x64', says = version } = {}) => ({
  'app/distribution.json': JSON.stringify({ version, platform }),
  'app/bin/steward.mjs': `process.stdout.write(${JSON.stringify(`${says}\n`)})`,
  'app/scripts/autostart.mjs': `process.stdout.write('task\\n')`,
})

export function writeProgram(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const target = join(folder, ...path.split('/'))
    mkdirSync(join(target, '..'), { recursive: true })
    writeFileSync(target, text)
  }
}
