"""Magnific (formerly Freepik): pictures and videos by many models, editing, icons, stock.

Source: docs.magnific.com/api-reference, and its OpenAPI description.
"""

from service.integrations.vendors.magnific.auto import ENDPOINTS as AUTO
from service.integrations.vendors.magnific.background import ENDPOINTS as BACKGROUND
from service.integrations.vendors.magnific.classic import ENDPOINTS as CLASSIC
from service.integrations.vendors.magnific.editing import ENDPOINTS as EDITING
from service.integrations.vendors.magnific.flux import ENDPOINTS as FLUX
from service.integrations.vendors.magnific.icons import ENDPOINTS as ICONS
from service.integrations.vendors.magnific.mystic import ENDPOINTS as MYSTIC
from service.integrations.vendors.magnific.resizing import ENDPOINTS as RESIZING
from service.integrations.vendors.magnific.seedream import ENDPOINTS as SEEDREAM
from service.integrations.vendors.magnific.stock_images import ENDPOINTS as STOCK_IMAGES
from service.integrations.vendors.magnific.stock_videos import ENDPOINTS as STOCK_VIDEOS
from service.integrations.vendors.magnific.video import ENDPOINTS as VIDEO

PICTURES = (*AUTO, *CLASSIC, *FLUX, *MYSTIC, *SEEDREAM, *VIDEO)
CHANGED = (*BACKGROUND, *EDITING, *RESIZING)
ENDPOINTS = (*PICTURES, *CHANGED, *ICONS, *STOCK_IMAGES, *STOCK_VIDEOS)
