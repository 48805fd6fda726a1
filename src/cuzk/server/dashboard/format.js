// Numbers as people read them.

const kUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(n) {
  let unit = 0;
  while (n >= 1024 && unit < kUnits.length - 1) {
    n /= 1024;
    ++unit;
  }
  return `${unit === 0 ? n : n.toFixed(n < 10 ? 2 : 1)} ${kUnits[unit]}`;
}

export function duration(ms) {
  if (ms === null || ms === undefined) return '';
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 1) return `${ms.toFixed(3)} ms`;
  if (ms < 1000) return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

export function seconds(s) {
  return s === null || s === undefined ? '' : duration(s * 1000);
}

export function percent(share) {
  return `${(100 * share).toFixed(2)} %`;
}
