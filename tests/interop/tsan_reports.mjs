// Which of ThreadSanitizer's reports of a daemon are about this program: those both of whose accesses are made by its own
// code. An access that gRPC or its headers make is ordered by means that the sanitizer does not see (tsan.supp). Prints them;
// code 1 if there are any.
//   node tsan_reports.mjs FOLDER
import fs from 'node:fs';
import path from 'node:path';

/** The frame that an access is made by: the first that is of no library that only does what it is told. */
function accessor(stack) {
  const frames = [...stack.matchAll(/^ +#\d+ (.*)$/gm)].map(([, frame]) => frame);
  return frames.find((frame) => !/libsanitizer|\/usr\/include\/(x86_64-linux-gnu\/)?c\+\+\//.test(frame)) ?? '';
}

const folder = process.argv[2];
let all = 0;
const ours = [];
for (const file of fs.readdirSync(folder)) {
  for (const report of fs.readFileSync(path.join(folder, file), 'utf8').split(/^={18}$/m)) {
    if (!report.includes('WARNING: ThreadSanitizer: ')) continue;
    ++all;
    const accesses = report.split(/\n\s*\n/).filter((part) => /^ +(previous )?(atomic )?(read|write) of size/im.test(part));
    // Of a report of another sort (a lock order, a thread that leaks) there is no telling: it is shown.
    if (accesses.every((stack) => /\/(src|apps)\/cuzk\//.test(accessor(stack)))) ours.push(`${file}:\n${report.trim()}\n`);
  }
}
console.log(ours.join('\n'));
console.log(`${folder}: ${all} reports, ${ours.length} of them about this program`);
process.exitCode = ours.length ? 1 : 0;
