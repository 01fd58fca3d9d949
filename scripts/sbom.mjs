// npm run sbom: writes sbom.json (CycloneDX 1.5) from package-lock.json; with --print to standard output.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { productionPackages, readLock, resolveFrom } from './packages.mjs'
import { failWith, isStarted, ROOT } from './runtime.mjs'

/** `pkg:npm/%40lmdb/lmdb-linux-x64@3.5.6` */
const urlOf = ({ name, version }) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`

/** The same bytes for the same lock file: no time, and a serial number that follows from it. */
export function billOfMaterials(root) {
  const text = readFileSync(join(root, 'package-lock.json'))
  const lock = readLock(root)
  const { name, version } = lock
  const packages = productionPackages(lock)
  const self = `pkg:npm/${name}@${version}`
  const reference = new Map(packages.map((each) => [each.path, referenceOf(each)]))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(text)}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        name,
        version,
        licenses: [{ license: { id: lock.packages[''].license } }],
        purl: self,
      },
    },
    components: packages.map(componentOf),
    dependencies: [
      { ref: self, dependsOn: refsOf(lock, '', reference) },
      ...packages.map((each) => ({
        ref: referenceOf(each),
        dependsOn: refsOf(lock, each.path, reference),
      })),
    ],
  }
}

/** One package may be there twice. */
const referenceOf = (each) => `${urlOf(each)}#${each.path}`

function componentOf(each) {
  const { name, version, license, publisher, source, integrity } = each
  const [algorithm, hash] = (integrity ?? '').split('-')
  const content = Buffer.from(hash ?? '', 'base64').toString('hex')
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name]
  return {
    type: 'library',
    'bom-ref': referenceOf(each),
    ...(publisher && { publisher }),
    ...(group && { group }),
    name: short,
    version,
    scope: each.platform === '' ? 'required' : 'optional',
    ...(algorithm === 'sha512' && { hashes: [{ alg: 'SHA-512', content }] }),
    licenses: [{ license: { id: license } }],
    purl: urlOf(each),
    ...(source && { externalReferences: [{ type: 'vcs', url: `https://${source}` }] }),
  }
}

/** References of what a package asks for, as far as it is there. */
function refsOf(lock, path, reference) {
  const { dependencies, optionalDependencies } = lock.packages[path]
  const found = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) =>
    reference.get(resolveFrom(lock, path, name)),
  )
  return [...new Set(found.filter((ref) => ref !== undefined))].sort()
}

/** Of version 4 by its looks, from a digest. */
function uuidOf(text) {
  const digits = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(digits[16], 16) & 3) | 8).toString(16)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}

if (isStarted(import.meta.url)) {
  try {
    const text = `${JSON.stringify(billOfMaterials(ROOT), null, 2)}\n`
    if (process.argv.includes('--print')) process.stdout.write(text)
    else writeFileSync(join(ROOT, 'sbom.json'), text)
  } catch (error) {
    failWith(error, 1)
  }
}
