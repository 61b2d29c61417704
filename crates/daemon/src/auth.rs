//! Tokens, login codes and devices. Secrets are kept as hashes and compared in constant time.

use qd_api::{Device, LoginReply, rfc3339};
use qd_core::{Code, Millis, Problem};
use qd_store::{LoginCode, NewDevice};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::home::hex;
use crate::shared::Shared;
use crate::{Denied, Principal, problems};

/// How long a login code is good, in milliseconds.
const CODE_LIFETIME: i64 = 10 * 60 * 1000;
/// How old the time of the last visit of a device may get before it is written down anew.
const SEEN_EVERY: u64 = 60 * 1000;
/// Longest name of a device.
const DEVICE_NAME: usize = 60;

/// The hash that stands for a secret.
pub(crate) fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

impl Shared {
    pub(crate) async fn authenticate(&self, token: Option<&str>) -> Result<Principal, Denied> {
        let token = token.ok_or(Denied::Missing)?;
        let hashed = hash(token);
        if bool::from(hashed.ct_eq(&self.token_hash)) {
            return Ok(Principal::Owner { device: None, name: "owner's token".to_owned() });
        }
        let device = match self.store.device_by_token(hashed).await {
            Ok(Some(device)) => device,
            Ok(None) => return Err(Denied::Wrong),
            Err(error) => {
                tracing::error!(%error, "a token could not be looked up");
                return Err(Denied::Unavailable);
            }
        };
        let now = self.clock.now();
        if device.last_seen_ms.is_none_or(|seen| now.since(Millis(seen)) > SEEN_EVERY)
            && let Err(error) = self.store.device_seen(&device.id, now.0).await
        {
            tracing::warn!(%error, "a visit was not written down");
        }
        Ok(Principal::Owner { device: Some(device.id), name: device.name })
    }

    pub(crate) async fn login_code(&self) -> Result<String, Problem> {
        let code = hex(&Self::random::<16>()?);
        let now = self.clock.now().0;
        self.store
            .add_login_code(hash(&code), now + CODE_LIFETIME, now)
            .await
            .map_err(|error| problems::store(&error))?;
        Ok(code)
    }

    pub(crate) async fn login(
        &self,
        code: &str,
        device: Option<String>,
    ) -> Result<LoginReply, Problem> {
        let now = self.clock.now().0;
        let taken = self
            .store
            .take_login_code(hash(code), now)
            .await
            .map_err(|error| problems::store(&error))?;
        let why = match taken {
            LoginCode::Accepted => None,
            LoginCode::Used => Some("The login code was used already."),
            LoginCode::Expired => Some("The login code is too old."),
            LoginCode::Unknown => Some("There is no such login code."),
        };
        if let Some(why) = why {
            return Err(Problem::new(
                Code::LoginCodeWrong,
                why,
                "Run `qd` where the daemon runs; it prints a new login link.",
            ));
        }
        self.home.forget_link(code);
        let token = hex(&Self::random::<32>()?);
        let id = hex(&Self::random::<6>()?);
        let name = device_name(device.as_deref());
        let new = NewDevice { id: id.clone(), name, token_hash: hash(&token), created_at_ms: now };
        self.store.add_device(new).await.map_err(|error| problems::store(&error))?;
        Ok(LoginReply { token, device: id })
    }

    pub(crate) async fn devices(&self, asker: &Principal) -> Result<Vec<Device>, Problem> {
        let mine = match asker {
            Principal::Owner { device, .. } => device.as_deref(),
            Principal::Session(_) => None,
        };
        let devices = self.store.devices().await.map_err(|error| problems::store(&error))?;
        Ok(devices
            .into_iter()
            .filter(|device| device.revoked_at_ms.is_none())
            .map(|device| Device {
                current: mine == Some(device.id.as_str()),
                id: device.id,
                name: device.name,
                created_at: rfc3339(Millis(device.created_at_ms)),
                last_seen: device.last_seen_ms.map(|seen| rfc3339(Millis(seen))),
            })
            .collect())
    }

    pub(crate) async fn revoke(&self, device: &str) -> Result<(), Problem> {
        let revoked = self
            .store
            .revoke_device(device, self.clock.now().0)
            .await
            .map_err(|error| problems::store(&error))?;
        if revoked {
            return Ok(());
        }
        Err(Problem::new(
            Code::UnknownDevice,
            "No device of that id may come in.",
            "`qd devices` lists those that may.",
        ))
    }
}

fn device_name(name: Option<&str>) -> String {
    let name: String =
        name.unwrap_or("browser").chars().filter(|c| !c.is_control()).take(DEVICE_NAME).collect();
    if name.trim().is_empty() { "browser".to_owned() } else { name.trim().to_owned() }
}
