// Opens a database and closes it again: LMDB then takes the number of the last transaction from the file, which has
// it right (src/storage/last-transaction.ts). Plain JavaScript: it starts without types to strip and without a
// bundle. Takes the folder as its argument.
import { open } from 'lmdb'

const [, , path] = process.argv
await open({ path, noSubdir: false, encoding: 'binary', readOnly: true }).close()
process.exit(0)
