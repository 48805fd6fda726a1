// The daemon's two feeds (docs/http.md), read with a cursor. Knows nothing of the page.

/// The latest events kept in the page; older ones leave first.
export const kMaxEvents = 60000;

export class Feed {
  /// `fetchJson(path)` resolves to the parsed answer or throws.
  constructor(fetchJson) {
    this.fetchJson = fetchJson;
    this.clear();
  }

  clear() {
    this.instance = null;
    this.status = null;
    this.events = [];
    this.next = 0;
    this.lost = 0;
    this.nowMs = null;
    this.version = 0;
  }

  /// One round: the status, then every event that is there. Throws what fetchJson throws; what was read before
  /// stays.
  async poll() {
    const status = await this.fetchJson('status');
    if (this.instance !== status.instance) {
      this.clear();
      this.instance = status.instance;
    }
    this.status = status;
    for (;;) {
      const answer = await this.fetchJson(`events?since=${this.next}`);
      if (answer.instance !== this.instance) return this.poll();
      this.nowMs = answer.now_ms;
      this.lost += answer.lost;
      for (const event of answer.events) this.events.push(event);
      if (answer.events.length > 0) ++this.version;
      const done = answer.next >= answer.recorded || answer.next === this.next;
      this.next = answer.next;
      if (done) break;
    }
    if (this.events.length > kMaxEvents) this.events.splice(0, this.events.length - kMaxEvents);
  }
}
