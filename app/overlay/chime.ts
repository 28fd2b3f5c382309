/** Two soft tones, for a streamer who has switched the sound on. */
export function chime(): void {
  const audio = new AudioContext();
  const gain = audio.createGain();
  gain.connect(audio.destination);
  gain.gain.setValueAtTime(0.12, audio.currentTime);
  gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.9);
  for (const [frequency, begin] of [
    [587, 0],
    [880, 0.14],
  ] as const) {
    const tone = audio.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(gain);
    tone.start(audio.currentTime + begin);
    tone.stop(audio.currentTime + 0.9);
  }
  setTimeout(() => void audio.close(), 1_200);
}
